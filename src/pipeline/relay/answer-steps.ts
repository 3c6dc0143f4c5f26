import type { Steps } from '../../kit/async/steps.ts'
import type { AnswerTurns } from '../exchange/answer-budget.ts'

export interface StepsInFlight<Value> {
  readonly steps: Steps<Value>
  readonly answerTurns: AnswerTurns
  /** Checked before each step: true once the rest is no longer needed. */
  readonly isOver: () => boolean
  readonly onValue: (value: Value) => void
  /** Called with what a step, or `onValue`, throws. */
  readonly onThrow: (error: unknown) => void
}

/** Runs at most one step in each turn of the event loop, the first one in the next. */
export function runInSteps<Value>(inFlight: StepsInFlight<Value>): void {
  const { steps, answerTurns, isOver, onValue, onThrow } = inFlight
  answerTurns.wait(() => {
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

/**
 * Runs as many steps as this turn of the event loop has time for, and the others in later turns: small work waits for
 * none.
 */
export async function runSteps<Value>(steps: Steps<Value>, answerTurns: AnswerTurns): Promise<Value> {
  for (;;) {
    const next = answerTurns.isFree
      ? answerTurns.run(() => steps.next())
      : await answerTurns.runLater(() => steps.next())
    if (next.done === true) return next.value
  }
}
