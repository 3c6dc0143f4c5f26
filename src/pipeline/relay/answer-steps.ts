import type { Steps } from '../../kit/async/steps.ts'
import type { AnswerTurns } from '../exchange/answer-budget.ts'

export interface StepsInFlight<Value> {
  readonly steps: Steps<Value>
  readonly answerTurns: AnswerTurns
  /** Checked before each step. True once the remaining steps are no longer needed. */
  readonly isOver: () => boolean
  readonly onValue: (value: Value) => void
  /** Called with the error that a step, or `onValue`, throws. */
  readonly onThrow: (error: unknown) => void
}

/** Runs at most one step in each turn of the event loop. The first step runs in the next turn. */
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
 * Runs as many steps as this turn of the event loop has time for, and the others in later turns. Small work does not
 * wait.
 */
export async function runSteps<Value>(steps: Steps<Value>, answerTurns: AnswerTurns): Promise<Value> {
  for (;;) {
    const next = answerTurns.isFree
      ? answerTurns.run(() => steps.next())
      : await answerTurns.runLater(() => steps.next())
    if (next.done === true) return next.value
  }
}
