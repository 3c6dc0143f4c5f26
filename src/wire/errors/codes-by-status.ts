import type { ErrorCode } from '../../canonical/error-table.ts'

/** The error code of each status, where nothing in the body is more precise. */
export const codesByStatus: ReadonlyMap<number, ErrorCode> = new Map([
  [400, 'upstream_rejected'],
  [401, 'upstream_credential'],
  [402, 'upstream_quota'],
  [403, 'upstream_credential'],
  [404, 'upstream_model_missing'],
  [408, 'upstream_timeout'],
  [413, 'request_too_large'],
  [422, 'upstream_rejected'],
  [429, 'upstream_rate_limited'],
  [503, 'upstream_overloaded'],
  [504, 'upstream_timeout'],
])
