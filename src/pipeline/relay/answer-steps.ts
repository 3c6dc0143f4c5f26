import type { Clock } from '../../kit/time/clock.ts'

/** Work that may pause wherever it yields, so that a large answer does not keep the event loop for all of it. */
export type Steps<Value> = Generator<void, Value, void>

/** All at once, for what is small. */
export function runToEnd<Value>(steps: Steps<Value>): Value {
  let next = steps.next()
  while (next.done !== true) next = steps.next()
  return next.value
}

export interface StepsInFlight<Value> {
  readonly steps: Steps<Value>
  readonly clock: Clock
  /** Asked before each step: nobody needs the rest any more. */
  readonly isOver: () => boolean
  readonly onValue: (value: Value) => void
  /** Gets what a step throws, or `onValue`. */
  readonly onThrow: (error: unknown) => void
}

/** One step in each turn of the event loop, the first one in the next. */
export function runInSteps<Value>(inFlight: StepsInFlight<Value>): void {
  const { steps, clock, isOver, onValue, onThrow } = inFlight
  clock.startTimer(0, () => {
    if (isOver()) return
    try {
      const next = steps.next()
      if (next.done === true) onValue(next.value)
      else runInSteps(inFlight)
    } catch (error) {
      onThrow(error)
    }
  })
}
