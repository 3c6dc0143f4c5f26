import { expect, it } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { createGuardedClock } from './clock.ts'

it('a timer that throws is reported, and the other timers still fire', () => {
  const clock = createFakeClock()
  const reports: unknown[] = []
  const fired: string[] = []
  const guarded = createGuardedClock(clock, (source, error) => reports.push([source, error]))
  const fault = new Error('planted')
  guarded.startTimer(10, () => {
    throw fault
  })
  guarded.startTimer(20, () => fired.push('second'))
  clock.advance(30)
  expect(fired).toEqual(['second'])
  expect(reports).toEqual([['a timer', fault]])
})
