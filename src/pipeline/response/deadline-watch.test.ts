import { expect, it } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { createDeadlineWatch, TICK_MS } from './deadline-watch.ts'

const fault = new Error('planted')

function throwIt(): never {
  throw fault
}

it('ends a throwing deadline alone, and still checks the others, now and later', () => {
  const clock = createFakeClock()
  const watch = createDeadlineWatch(clock, throwIt)
  const errors: unknown[] = []
  let looks = 0
  watch.add({
    look: () => {
      looks += 1
    },
  })
  const entry = watch.add({
    look: throwIt,
    onError(error) {
      errors.push(error)
      watch.remove(entry)
    },
  })
  watch.add({
    look: () => {
      looks += 1
    },
  })
  clock.advance(3 * TICK_MS)
  expect(errors).toEqual([fault])
  expect(looks).toBe(6)
})

it('reports an unhandled error: one without a listener, and one of the listener itself', () => {
  const clock = createFakeClock()
  const reports: unknown[] = []
  const watch = createDeadlineWatch(clock, (source, error) => reports.push([source, error]))
  watch.add({ look: throwIt })
  watch.add({ look: throwIt, onError: throwIt })
  clock.advance(TICK_MS)
  expect(reports).toEqual([
    ['a deadline', fault],
    ['a deadline', fault],
  ])
})
