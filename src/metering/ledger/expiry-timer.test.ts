import { expect, it } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { ExpiryTimer } from './expiry-timer.ts'

/** Waits that end at their time, and the times at which they did. */
function openWaits() {
  const clock = createFakeClock()
  const ends: number[] = []
  const ended: number[] = []
  const timer = new ExpiryTimer(clock, (nowMs) => {
    while (ends[0] !== undefined && ends[0] <= nowMs) ended.push(ends.shift() ?? 0)
    return ends[0]
  })
  return { clock, ended, timer, wait: (limitMs: number) => ends.push(timer.endsAfter(limitMs)) }
}

it('ends each wait at its own time, with one timer for all', () => {
  const { clock, ended, wait } = openWaits()
  wait(100)
  clock.advance(40)
  wait(100)
  expect(clock.pendingTimers).toBe(1)
  clock.advance(60)
  expect(ended).toEqual([100])
  expect(clock.pendingTimers).toBe(1)
  clock.advance(40)
  expect(ended).toEqual([100, 140])
})

it('runs no timer while nothing waits, and starts again with the next wait', () => {
  const { clock, ended, wait } = openWaits()
  expect(clock.pendingTimers).toBe(0)
  wait(10)
  clock.advance(10)
  expect(clock.pendingTimers).toBe(0)
  wait(10)
  clock.advance(10)
  expect(ended).toEqual([10, 20])
})

it('ends nothing once it is cancelled', () => {
  const { clock, ended, timer, wait } = openWaits()
  wait(10)
  timer.cancel()
  clock.advance(20)
  expect(ended).toEqual([])
})
