import type { Failure } from '../canonical/failure.ts'
import type { AttemptSpan } from './health/health-tracker.ts'
import type { RetryPolicy } from './retry-schema.ts'

/** The time of the whole request, and its end by `Clock.monotonicMs`. */
export interface RequestTime {
  readonly deadlineAtMs: number
  readonly policy: Pick<RetryPolicy, 'deadlineMs'>
}

/**
 * Whether the deadline of the request ended a silent call that had less than half of the request's time, because other
 * calls or the queue used the rest. Such a call is no evidence about its target, which may be healthy.
 */
export function isCutShort(
  { code }: Failure,
  { startedAtMs, endedAtMs }: AttemptSpan,
  { deadlineAtMs, policy }: RequestTime,
): boolean {
  if (code !== 'upstream_timeout' || endedAtMs < deadlineAtMs) return false
  return endedAtMs - startedAtMs < policy.deadlineMs / 2
}
