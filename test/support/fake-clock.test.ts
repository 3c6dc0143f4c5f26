import { expect, test } from 'vitest'
import { createFakeClock } from './fake-clock.ts'

test('timers fire at their own time and in order', () => {
  const clock = createFakeClock(1_000)
  const seen: string[] = []
  clock.startTimer(30, () => seen.push(`late at ${clock.nowMs()}`))
  clock.startTimer(10, () => seen.push(`early at ${clock.nowMs()}`))
  clock.advance(9)
  expect(seen).toEqual([])
  clock.advance(50)
  expect(seen).toEqual(['early at 1010', 'late at 1030'])
  expect(clock.monotonicMs()).toBe(59)
})

test('a due timer that another timer started fires within the same advance', () => {
  const clock = createFakeClock(0)
  const seen: number[] = []
  clock.startTimer(10, () => {
    clock.startTimer(10, () => seen.push(clock.nowMs()))
  })
  clock.advance(20)
  expect(seen).toEqual([20])
})

test('a cancelled timer never fires and a restarted one waits its whole delay again', () => {
  const clock = createFakeClock(0)
  const seen: string[] = []
  const cancelled = clock.startTimer(10, () => seen.push('cancelled'))
  const restarted = clock.startTimer(10, () => seen.push('restarted'))
  clock.advance(8)
  cancelled.cancel()
  restarted.restart()
  clock.advance(9)
  expect(seen).toEqual([])
  expect(clock.pendingTimers).toBe(1)
  clock.advance(1)
  expect(seen).toEqual(['restarted'])
})
