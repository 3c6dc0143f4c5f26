import { expect, it } from 'vitest'
import { MonotonicWallTime } from './monotonic-wall-time.ts'

const HOUR_MS = 3_600_000

it('the time follows the clock while the clock moves forward', () => {
  const time = new MonotonicWallTime()
  expect([5, 5, 9, HOUR_MS].map((wallMs) => time.at(wallMs))).toEqual([5, 5, 9, HOUR_MS])
})

it('the time stands still while the clock catches up with a small correction', () => {
  const time = new MonotonicWallTime()
  const walls = [100_000, 99_000, 99_999, 100_001]
  expect(walls.map((wallMs) => time.at(wallMs))).toEqual([100_000, 100_000, 100_000, 100_001])
})

it('the time continues from its last value when the clock is set back by an hour', () => {
  const time = new MonotonicWallTime()
  time.at(2 * HOUR_MS)
  expect(time.at(HOUR_MS)).toBe(2 * HOUR_MS)
  expect(time.at(HOUR_MS + 5_000)).toBe(2 * HOUR_MS + 5_000)
})

it('the time follows the clock again once the clock is corrected', () => {
  const time = new MonotonicWallTime()
  time.at(2 * HOUR_MS)
  time.at(HOUR_MS)
  expect(time.at(2 * HOUR_MS + 7)).toBe(2 * HOUR_MS + 7)
  expect(time.at(2 * HOUR_MS + 8)).toBe(2 * HOUR_MS + 8)
})
