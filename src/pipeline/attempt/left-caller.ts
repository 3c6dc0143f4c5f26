import type { AttemptOutcome, CallPhase } from './attempt-outcome.ts'

/**
 * Whether a stream was generated to its end, and only its usage is missing. To read on then costs nothing, while a call
 * that is aborted is billed without the reasoning that its caller was not shown.
 */
export function lacksOnlyUsage(phase: CallPhase): boolean {
  if (phase.type !== 'streaming') return false
  const { hasStopReason, usage } = phase.reader.state
  return hasStopReason === true && usage === undefined
}

/** Whether the usage of an answer is final although its caller did not wait for the end. */
export function hasFinalUsage({ type, isGenerated, usage }: AttemptOutcome): boolean {
  return type === 'caller-gone' && isGenerated === true && usage?.isEstimated === false
}
