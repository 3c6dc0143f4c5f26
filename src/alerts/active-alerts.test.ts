import { expect, it } from 'vitest'
import type { ObservedHealthChange } from '../telemetry/observed-health-change.ts'
import { ActiveAlerts } from './active-alerts.ts'

const HOUR_MS = 3_600_000

const refused: ObservedHealthChange = {
  channel: 'a',
  scope: 'credential',
  credentialId: 'a#1',
  upstreamModel: undefined,
  to: 'open',
  reason: 'refused',
  waitMs: 600_000,
  needsOperator: true,
}

const well: ObservedHealthChange = { ...refused, to: 'healthy', waitMs: 0 }

it('the same is told once, and again when it still lasts after a while', () => {
  const book = new ActiveAlerts()
  const told = [0, 1, HOUR_MS - 1, HOUR_MS, HOUR_MS + 1].map((nowMs) => book.judge(refused, nowMs, HOUR_MS))
  expect(told).toEqual([
    { status: 'impaired', sinceMs: 0 },
    undefined,
    undefined,
    { status: 'impaired', sinceMs: 0 },
    undefined,
  ])
})

it('its end is told once, and what begins anew is told at once', () => {
  const book = new ActiveAlerts()
  book.judge(refused, 0, HOUR_MS)
  expect(book.judge({ ...refused, to: 'half-open' }, 5, HOUR_MS)).toBeUndefined()
  expect(book.judge(well, 10, HOUR_MS)).toEqual({ status: 'recovered', sinceMs: 0 })
  expect(book.judge(refused, 20, HOUR_MS)).toEqual({ status: 'impaired', sinceMs: 20 })
})

it('the end of what was told before a restart is told', () => {
  expect(new ActiveAlerts().judge(well, 10, HOUR_MS)).toEqual({ status: 'recovered', sinceMs: undefined })
})

it('another reason, key or channel is told by itself', () => {
  const book = new ActiveAlerts()
  book.judge(refused, 0, HOUR_MS)
  expect(book.judge({ ...refused, reason: 'out-of-credit' }, 1, HOUR_MS)?.status).toBe('impaired')
  expect(book.judge({ ...refused, credentialId: 'a#2' }, 1, HOUR_MS)?.status).toBe('impaired')
  expect(book.judge({ ...refused, channel: 'b' }, 1, HOUR_MS)?.status).toBe('impaired')
})

it('what passes by itself is not told, nor its end', () => {
  const book = new ActiveAlerts()
  const limited = { ...refused, reason: 'rate-limited', needsOperator: false }
  expect(book.judge(limited, 0, HOUR_MS)).toBeUndefined()
  expect(book.judge({ ...limited, to: 'healthy' }, 1, HOUR_MS)).toBeUndefined()
})

it('after an operator had it forgotten, what is still wrong is told anew', () => {
  const book = new ActiveAlerts()
  book.judge(refused, 0, HOUR_MS)
  expect(book.forget(({ channel }) => channel === 'b')).toEqual([])
  expect(book.judge(refused, 1, HOUR_MS)).toBeUndefined()
  expect(book.forget(({ channel }) => channel === 'a')).toEqual([
    { change: refused, sinceMs: 0, sentAtMs: 0 },
  ])
  expect(book.judge(refused, 2, HOUR_MS)?.status).toBe('impaired')
})
