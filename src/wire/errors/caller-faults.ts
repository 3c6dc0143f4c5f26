import type { ErrorCode } from '../../canonical/error-table.ts'

/** Errors caused by the caller's request. The upstream's own message explains them best and is sent to the caller. */
export const callerFaults: ReadonlySet<ErrorCode> = new Set([
  'upstream_rejected',
  'context_length_exceeded',
  'content_policy_violation',
  'request_too_large',
])

/** Temporary failures. The caller gets the wait time that the upstream asks for. */
export const passingFaults: ReadonlySet<ErrorCode> = new Set(['upstream_rate_limited', 'upstream_overloaded'])
