import { describe, expect, it } from 'vitest'
import { HOUR_MS } from '../../kit/time/time-units.ts'
import { type ForecastInput, forecastBudget } from './forecast-budget.ts'

const NOW_MS = Date.UTC(2026, 10, 25, 12)
const NOW_HOUR = NOW_MS / HOUR_MS

/** A history of so many hours, each with what a function of its distance from now says. */
const historyOf = (length: number, amountOf: (hour: number) => number) =>
  new Map(
    Array.from({ length }, (_unused, index) => [
      NOW_HOUR - length + index,
      amountOf(NOW_HOUR - length + index),
    ]),
  )

const input = (different: Partial<ForecastInput>): ForecastInput => ({
  hours: new Map(),
  nowMs: NOW_MS,
  spent: 100,
  limit: 1_000,
  endsAtMs: NOW_MS + 100 * HOUR_MS,
  rollingMs: undefined,
  ...different,
})

describe('the forecast of a budget', () => {
  it('uses the same hours of the same weekdays once there are two weeks of history', () => {
    // Ten an hour on one weekday alone, which comes once more before the window ends.
    const weekday = Math.floor((NOW_HOUR + 30) / 24) % 7
    const hours = historyOf(28 * 24, (hour) => (Math.floor(hour / 24) % 7 === weekday ? 10 : 0))
    const { method, endsWith, runsOutAtMs } = forecastBudget(input({ hours }))
    expect({ method, endsWith, runsOutAtMs }).toEqual({
      method: 'weekday-hours',
      endsWith: 100 + 24 * 10,
      runsOutAtMs: undefined,
    })
  })

  it('uses the same hours of the previous days once there are two days of history', () => {
    const hours = historyOf(72, (hour) => (hour % 24 === 0 ? 300 : 0))
    const { method, runsOutAtMs, endsWith } = forecastBudget(input({ hours }))
    expect(method).toBe('hours-of-day')
    // Midnight comes in 12, 36, 60 and 84 hours.
    expect(endsWith).toBe(100 + 4 * 300)
    expect(runsOutAtMs).toBe(NOW_MS + 61 * HOUR_MS)
  })

  it('uses the last hours when there is little history, and spreads an hour evenly', () => {
    const hours = historyOf(4, () => 50)
    const { method, runsOutAtMs, endsWith } = forecastBudget(
      input({ hours, endsAtMs: NOW_MS + 20.5 * HOUR_MS }),
    )
    expect({ method, endsWith, runsOutAtMs }).toEqual({
      method: 'recent-rate',
      endsWith: 1_125,
      runsOutAtMs: NOW_MS + 18 * HOUR_MS,
    })
  })

  it('makes no forecast without any spending, and reports a spent budget as run out now', () => {
    expect(forecastBudget(input({}))).toMatchObject({ method: 'none', endsWith: 100, runsOutAtMs: undefined })
    expect(forecastBudget(input({ spent: 1_000 })).runsOutAtMs).toBe(NOW_MS)
  })

  it('drops the oldest hours from a rolling window', () => {
    const hours = historyOf(10, () => 100)
    const rolling = input({ hours, spent: 500, endsAtMs: undefined, rollingMs: 5 * HOUR_MS })
    expect(forecastBudget(rolling)).toMatchObject({ endsWith: undefined, runsOutAtMs: undefined })
    expect(forecastBudget({ ...rolling, limit: 520 }).runsOutAtMs).toBeDefined()
  })

  it('looks three months ahead when a budget never resets', () => {
    const hours = historyOf(4, () => 1)
    const total = input({ hours, endsAtMs: undefined })
    expect(forecastBudget(total).runsOutAtMs).toBe(NOW_MS + 900 * HOUR_MS)
    expect(forecastBudget({ ...total, limit: 1_000_000 }).runsOutAtMs).toBeUndefined()
  })
})
