import type { ErrorCode } from '../../canonical/error-table.ts'

/** Faults of the caller's request: the upstream's own words explain them best and go back to the caller. */
export const callerFaults: ReadonlySet<ErrorCode> = new Set([
  'upstream_rejected',
  'context_length_exceeded',
  'content_policy_violation',
  'request_too_large',
])

/** Failures that pass: how long the upstream asks to wait is told to the caller. */
export const passingFaults: ReadonlySet<ErrorCode> = new Set(['upstream_rate_limited', 'upstream_overloaded'])
