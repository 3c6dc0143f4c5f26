import type { ErrorType } from '../../../canonical/error-rows/error-row.ts'
import { type ErrorCode, errorRow } from '../../../canonical/error-table.ts'
import type { Failure } from '../../../canonical/failure.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { writeNamedFrame } from '../../../kit/sse/write-named-frame.ts'
import { writeRetryHeaders } from '../../errors/write-retry-headers.ts'
import type { RenderedError } from '../../wire-format.ts'

const types = {
  'invalid-request': 'invalid_request_error',
  authentication: 'authentication_error',
  permission: 'permission_error',
  'not-found': 'not_found_error',
  'too-large': 'request_too_large',
  'rate-limit': 'rate_limit_error',
  // The service itself uses this type for `enforced_spend_limit_reached` (www.developersdigest.tech/errors, seen
  // 2026-11-23).
  quota: 'rate_limit_error',
  timeout: 'timeout_error',
  overloaded: 'overloaded_error',
  api: 'api_error',
} as const satisfies Record<ErrorType, string>

/** The format has its own status for an overloaded service (docs/api/errors, seen 2026-11-20). */
const OVERLOADED_STATUS = 529

/** Codes that mean that the upstream rejected the caller's request. The upstream's status is then more precise. */
const judgedByUpstream: ReadonlySet<ErrorCode> = new Set([
  'upstream_rejected',
  'context_length_exceeded',
  'content_policy_violation',
  'request_too_large',
])
const judgingStatuses: ReadonlySet<number> = new Set([400, 409, 413, 422])

export function writeError(failure: Failure, requestId: string): RenderedError {
  return {
    status: statusOf(failure),
    headers: { ...failure.headers, ...writeRetryHeaders(failure) },
    body: writeErrorBody(failure, requestId),
  }
}

/** The last frame of a stream that fails. No terminator follows it. */
export function writeErrorEvent(failure: Failure, requestId: string): string {
  return writeNamedFrame('error', writeErrorBody(failure, requestId))
}

function writeErrorBody(failure: Failure, requestId: string): JsonObject {
  const isThreadGone = statusOf(failure) === 404
  return {
    type: 'error',
    error: {
      type: types[isThreadGone ? 'not-found' : errorRow(failure.code).type],
      message: failure.message,
      param: failure.param ?? null,
      code: failure.code,
      ...(failure.details === undefined ? {} : { details: failure.details }),
    },
    request_id: requestId,
  }
}

/** The status for the caller. An upstream's 404 is passed on only with details that the official SDK uses. */
function statusOf({ code, upstream, details }: Failure): number {
  const row = errorRow(code)
  if (row.type === 'overloaded') return OVERLOADED_STATUS
  if (upstream === undefined || !judgedByUpstream.has(code)) return row.status
  if (upstream.status === 404 && details !== undefined) return upstream.status
  return judgingStatuses.has(upstream.status) ? upstream.status : row.status
}
