import { expect, test } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { nextTurn } from '../../kit/time/clock.ts'
import { LedgerMaintenance, type LedgerRetention } from './ledger-maintenance.ts'

function start(answers: (boolean | Error)[]) {
  const clock = createFakeClock(1_000_000)
  const orders: LedgerRetention[] = []
  const warnings: string[] = []
  const maintenance = new LedgerMaintenance({
    clock,
    policy: { keepMs: 5_000, maxBytes: undefined },
    warn: (message) => warnings.push(message),
    store: {
      async maintain(retention) {
        orders.push(retention)
        const answer = answers.shift() ?? false
        if (answer instanceof Error) throw answer
        return { hasMore: answer }
      },
    },
  })
  const advance = async (ms: number) => {
    clock.advance(ms)
    await nextTurn()
  }
  return { maintenance, orders, warnings, advance, clock }
}

test('the ledger is tidied up every minute, step by step while more remains', async () => {
  const { orders, advance, maintenance } = start([true, true, false])
  await advance(59_999)
  expect(orders).toEqual([])
  await advance(1)
  expect(orders).toEqual([{ nowMs: 1_060_000, keepMs: 5_000, maxBytes: undefined }])
  await advance(20)
  await advance(20)
  expect(orders).toHaveLength(3)
  maintenance.change({ keepMs: undefined, maxBytes: 9 })
  await advance(60_000)
  expect(orders.at(-1)).toMatchObject({ keepMs: undefined, maxBytes: 9 })
  expect(orders).toHaveLength(4)
})

test('a failing store is tried again, and reported once an hour', async () => {
  const { orders, warnings, advance } = start([new Error('locked'), new Error('locked'), false])
  for (let minute = 0; minute < 3; minute += 1) await advance(60_000)
  expect(orders).toHaveLength(3)
  expect(warnings).toEqual(['the ledger cannot be tidied up: locked'])
})

test('no maintenance begins after it is stopped', async () => {
  const { orders, maintenance, advance, clock } = start([true])
  await advance(60_000)
  maintenance.stop()
  await advance(600_000)
  expect(orders).toHaveLength(1)
  expect(clock.pendingTimers).toBe(0)
})
