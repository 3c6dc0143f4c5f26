import { errorRow } from '../canonical/error-table.ts'
import { createFailure, type Failure } from '../canonical/failure.ts'
import type { Target } from '../catalog/catalog.ts'

export interface TargetFailure {
  readonly target: Target
  readonly failure: Failure
}

/**
 * The most informative failure of all targets that were called. The caller's own fault comes first, then failures after
 * which waiting helps, then the others. A rate limit is the answer only if no other target failed by itself. If the
 * failures differ, the message says how each target failed.
 */
export function chooseFailure(all: readonly TargetFailure[]): Failure {
  // The failure of a target that lacks the operation is ignored if another target has the operation and failed.
  const able = all.filter(({ failure }) => failure.code !== 'operation_not_supported')
  const called = able.length === 0 ? all : able
  if (called.length === 0) return createFailure('no_channel')
  const ofCaller = called.findLast(({ failure }) => isOfCaller(failure))?.failure
  if (ofCaller !== undefined) return ofCaller
  const outcomes = outcomesOf(called)
  const speaking = withoutLimits(outcomes)
  const best = speaking.reduce((chosen, one) => (rank(one) <= rank(chosen) ? one : chosen))
  return withOutcomes(withShortestWait(best, outcomes), outcomes)
}

/** The last failure of each target. */
function outcomesOf(called: readonly TargetFailure[]): readonly Failure[] {
  return [...new Map(called.map(({ target, failure }) => [target, failure])).values()]
}

function withoutLimits(outcomes: readonly Failure[]): readonly Failure[] {
  const failed = outcomes.filter(
    ({ code }) => code !== 'upstream_rate_limited' && errorRow(code).blame === 'upstream',
  )
  return failed.length === 0 ? outcomes : failed
}

function withShortestWait(best: Failure, outcomes: readonly Failure[]): Failure {
  const waits = outcomes.map((one) => one.retryAfterSeconds).filter((wait) => wait !== undefined)
  if (errorRow(best.code).retry !== 'wait' || waits.length === 0) return best
  return { ...best, retryAfterSeconds: Math.min(...waits) }
}

function withOutcomes(best: Failure, outcomes: readonly Failure[]): Failure {
  const codes = outcomes.map(({ code }) => code)
  if (new Set(codes).size < 2) return best
  const message = `${best.message} ${outcomes.length} targets were asked: ${codes.join(', ')}.`
  return { ...best, message }
}

function isOfCaller({ code }: Failure): boolean {
  return errorRow(code).blame === 'caller'
}

function rank({ code }: Failure): number {
  switch (errorRow(code).retry) {
    case 'wait':
      return 1
    case 'caller':
      return 2
    case 'never':
      return 3
  }
}
