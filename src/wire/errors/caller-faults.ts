import type { ErrorCode } from '../../canonical/error-table.ts'

/** Faults of the caller's request: the upstream's own message explains them best and goes back to the caller. */
export const callerFaults: ReadonlySet<ErrorCode> = new Set([
  'upstream_rejected',
  'context_length_exceeded',
  'content_policy_violation',
  'request_too_large',
])

/** Temporary failures: the caller gets the wait that the upstream asks for. */
export const passingFaults: ReadonlySet<ErrorCode> = new Set(['upstream_rate_limited', 'upstream_overloaded'])
