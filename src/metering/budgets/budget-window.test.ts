import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BudgetWindow } from '../../access/limits/budget-terms.ts'
import { spanAt } from './budget-window.ts'

const iso = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString())

function spanOf(unit: 'minute' | 'hour' | 'day' | 'week' | 'month', timeZone: string, at: string) {
  const { startMs, endMs } = spanAt({ type: 'calendar', unit, timeZone }, Date.parse(at))
  return [iso(startMs), iso(endMs)]
}

describe('a calendar window', () => {
  it.each([
    ['day', 'UTC', '2026-11-23T12:34:56Z', '2026-11-23T00:00:00.000Z', '2026-11-24T00:00:00.000Z'],
    // Clocks go back at 03:00: a day of 25 hours.
    ['day', 'Europe/Berlin', '2026-10-25T12:00:00Z', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
    // Clocks go forward at 02:00: a day of 23 hours.
    [
      'day',
      'America/New_York',
      '2026-03-08T12:00:00Z',
      '2026-03-08T05:00:00.000Z',
      '2026-03-09T04:00:00.000Z',
    ],
    // The clock jumps from midnight to one: the day begins at one.
    [
      'day',
      'America/Santiago',
      '2026-09-06T12:00:00Z',
      '2026-09-06T04:00:00.000Z',
      '2026-09-07T03:00:00.000Z',
    ],
    ['week', 'UTC', '2026-11-22T23:59:59Z', '2026-11-16T00:00:00.000Z', '2026-11-23T00:00:00.000Z'],
    ['month', 'Asia/Kolkata', '2026-02-28T18:29:59Z', '2026-01-31T18:30:00.000Z', '2026-02-28T18:30:00.000Z'],
    ['month', 'UTC', '2028-02-29T00:00:00Z', '2028-02-01T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
    [
      'hour',
      'Asia/Kathmandu',
      '2026-11-23T12:20:00Z',
      '2026-11-23T12:15:00.000Z',
      '2026-11-23T13:15:00.000Z',
    ],
    ['minute', 'UTC', '2026-11-23T12:20:59Z', '2026-11-23T12:20:00.000Z', '2026-11-23T12:21:00.000Z'],
  ] as const)('of a %s in %s holds %s', (unit, zone, at, start, end) => {
    expect(spanOf(unit, zone, at)).toEqual([start, end])
  })
})

const timeZones = [
  'UTC',
  'Europe/Berlin',
  'Europe/London',
  'America/New_York',
  'America/Santiago',
  'America/St_Johns',
  'America/Sao_Paulo',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Asia/Tehran',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Chatham',
  'Africa/Casablanca',
]
const moment = fc.integer({ min: Date.parse('2005-01-01'), max: Date.parse('2040-01-01') })
const anyWindow: fc.Arbitrary<BudgetWindow> = fc.oneof(
  fc.record({
    type: fc.constant('calendar' as const),
    unit: fc.constantFrom(
      'minute' as const,
      'hour' as const,
      'day' as const,
      'week' as const,
      'month' as const,
    ),
    timeZone: fc.constantFrom(...timeZones),
  }),
  fc.record({ type: fc.constant('rolling' as const), lengthMs: fc.integer({ min: 60_000, max: 1e9 }) }),
)

it('every moment lies within its span, and a span includes its start but not its end', () => {
  fc.assert(
    fc.property(anyWindow, moment, (window, nowMs) => {
      const { startMs, endMs = 0 } = spanAt(window, nowMs)
      expect(startMs <= nowMs && nowMs < endMs).toBe(true)
      expect(spanAt(window, startMs)).toEqual({ startMs, endMs })
      expect(spanAt(window, endMs - 1)).toEqual({ startMs, endMs })
      expect(spanAt(window, endMs).startMs).toBe(endMs)
    }),
    { numRuns: 400 },
  )
})

it('a total has neither a start nor an end', () => {
  expect(spanAt({ type: 'total' }, 5)).toEqual({ startMs: 0, endMs: undefined })
})
