import { expect, test } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import type { AuditRecord } from '../../canonical/audit.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { createBreakGlassRecord } from './record-break-glass.ts'

const HOUR_MS = 3_600_000

function open(state: { hasOwner: boolean; isStoreAway?: boolean; aheadMs?: number }) {
  const clock = createFakeClock()
  const records: AuditRecord[] = []
  const warnings: string[] = []
  const record = createBreakGlassRecord({
    users: { hasOwner: async () => state.hasOwner },
    audit: {
      async append(entry) {
        if (state.isStoreAway === true) throw new GatewayError('store_unavailable')
        records.push(entry)
      },
    },
    clock: { monotonicMs: clock.monotonicMs, nowMs: () => clock.nowMs() + (state.aheadMs ?? 0) },
    warn: (message) => warnings.push(message),
  })
  const use = (address: string, path = '/admin/v1/keys') => record({ address, method: 'GET', path })
  return { clock, records, warnings, use }
}

test('makes one record per address and hour, with the first request', async () => {
  const { clock, records, use } = open({ hasOwner: true })
  await Promise.all([use('192.0.2.1'), use('192.0.2.1', '/admin/v1/audit'), use('192.0.2.2')])
  clock.advance(HOUR_MS - 1)
  await use('192.0.2.1')
  expect(records.map(({ address, details }) => [address, ...details])).toEqual([
    ['192.0.2.1', 'GET /admin/v1/keys'],
    ['192.0.2.2', 'GET /admin/v1/keys'],
  ])
  clock.advance(1)
  await use('192.0.2.1', '/admin/v1/audit')
  expect(records.at(-1)).toMatchObject({
    author: 'admin token',
    credential: 'admin token',
    action: 'admin_token.use',
    details: ['GET /admin/v1/audit'],
  })
})

test('makes a record every hour, also while a clock that ran ahead is set back', async () => {
  const state = { hasOwner: true, aheadMs: 48 * HOUR_MS }
  const { clock, records, use } = open(state)
  await use('192.0.2.1')
  state.aheadMs = 0
  clock.advance(HOUR_MS)
  await use('192.0.2.1')
  expect(records).toHaveLength(2)
})

test('makes no record before there is an owner, and makes one afterwards', async () => {
  const state = { hasOwner: false }
  const { records, use } = open(state)
  await use('192.0.2.1')
  expect(records).toEqual([])
  state.hasOwner = true
  await use('192.0.2.1')
  expect(records).toHaveLength(1)
})

test('lets the request through when the store is unavailable, logs a warning, and records the next request', async () => {
  const state = { hasOwner: true, isStoreAway: true }
  const { records, warnings, use } = open(state)
  await use('192.0.2.1')
  expect(warnings).toEqual([
    expect.stringContaining('the admin token for GET /admin/v1/keys from 192.0.2.1 is not in the audit: '),
  ])
  state.isStoreAway = false
  await use('192.0.2.1')
  expect(records).toHaveLength(1)
})

test('remembers up to a thousand addresses', async () => {
  const { records, use } = open({ hasOwner: true })
  for (let index = 0; index <= 1_000; index += 1) await use(`192.0.2.${index}`)
  await use('192.0.2.1')
  expect(records).toHaveLength(1_001)
  await use('192.0.2.0')
  expect(records).toHaveLength(1_002)
})
