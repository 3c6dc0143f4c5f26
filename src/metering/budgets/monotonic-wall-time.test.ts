import { expect, it } from 'vitest'
import { MonotonicWallTime } from './monotonic-wall-time.ts'

const HOUR_MS = 3_600_000

function openTime() {
  let monotonicMs = 500
  const time = new MonotonicWallTime({ monotonicMs: () => monotonicMs })
  return {
    time,
    pass(ms: number) {
      monotonicMs += ms
    },
  }
}

it('the time follows the clock while the clock moves forward', () => {
  const { time } = openTime()
  expect([5, 5, 9, HOUR_MS].map((wallMs) => time.at(wallMs))).toEqual([5, 5, 9, HOUR_MS])
})

it('the time stands still while the clock catches up with a small correction', () => {
  const { time } = openTime()
  const walls = [100_000, 99_000, 99_999, 100_001]
  expect(walls.map((wallMs) => time.at(wallMs))).toEqual([100_000, 100_000, 100_000, 100_001])
})

it('the time continues from its last value when the clock is set back by an hour', () => {
  const { time, pass } = openTime()
  time.at(2 * HOUR_MS)
  expect(time.at(HOUR_MS)).toBe(2 * HOUR_MS)
  pass(5_000)
  expect(time.at(HOUR_MS + 5_000)).toBe(2 * HOUR_MS + 5_000)
})

it('the time follows the clock again once the clock is corrected', () => {
  const { time } = openTime()
  time.at(2 * HOUR_MS)
  time.at(HOUR_MS)
  expect(time.at(2 * HOUR_MS + 7)).toBe(2 * HOUR_MS + 7)
  expect(time.at(2 * HOUR_MS + 8)).toBe(2 * HOUR_MS + 8)
})

it('a clock that is corrected to a little less than the time makes no hour of it pass', () => {
  const { time, pass } = openTime()
  time.at(2 * HOUR_MS)
  time.at(HOUR_MS)
  pass(10_000)
  expect(time.at(2 * HOUR_MS + 9_500)).toBe(2 * HOUR_MS + 10_000)
  expect(time.at(2 * HOUR_MS + 10_001)).toBe(2 * HOUR_MS + 10_001)
})

it('a clock that is corrected in several steps makes no hour of the time pass', () => {
  const { time, pass } = openTime()
  time.at(50 * HOUR_MS)
  time.at(HOUR_MS)
  pass(1_000)
  expect(time.at(20 * HOUR_MS)).toBe(50 * HOUR_MS + 1_000)
  pass(1_000)
  expect(time.at(10 * HOUR_MS)).toBe(50 * HOUR_MS + 2_000)
})
