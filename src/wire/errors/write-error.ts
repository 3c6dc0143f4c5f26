import type { ErrorType } from '../../canonical/error-rows/error-row.ts'
import { type ErrorCode, errorRow } from '../../canonical/error-table.ts'
import type { Failure } from '../../canonical/failure.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import type { RenderedError } from '../wire-format.ts'
import { writeRetryHeaders } from './write-retry-headers.ts'

const typeOf: Readonly<Record<ErrorType, string>> = {
  'invalid-request': 'invalid_request_error',
  authentication: 'authentication_error',
  permission: 'permission_error',
  'not-found': 'not_found_error',
  'too-large': 'invalid_request_error',
  'rate-limit': 'rate_limit_error',
  quota: 'insufficient_quota',
  timeout: 'timeout_error',
  overloaded: 'overloaded_error',
  api: 'api_error',
}

/** Error codes that have another name in this format. */
const codeOf: Partial<Record<ErrorCode, string>> = {
  upstream_rate_limited: 'rate_limit_exceeded',
  concurrency_limit_exceeded: 'rate_limit_exceeded',
  budget_exceeded: 'insufficient_quota',
}

/**
 * Errors of the request that an upstream reported keep the upstream's status, since clients choose their error class by
 * status.
 */
const upstreamWorded: ReadonlySet<ErrorCode> = new Set([
  'upstream_rejected',
  'context_length_exceeded',
  'content_policy_violation',
  'request_too_large',
])
const passedStatuses: ReadonlySet<number> = new Set([400, 409, 413, 422])

export function writeError(failure: Failure): RenderedError {
  return {
    status: statusOf(failure),
    headers: { ...failure.headers, ...writeRetryHeaders(failure) },
    body: { error: writeErrorObject(failure) },
  }
}

/** Writes the last frame of a failed stream. No terminator follows. */
export function writeErrorEvent(failure: Failure): string {
  return `data: ${JSON.stringify({ error: writeErrorObject(failure) })}\n\n`
}

function writeErrorObject(failure: Failure): JsonObject {
  const { code, message, param, upstream, problems } = failure
  // Clients of the format do not know numbers as codes. Some servers repeat the status as code, others have numbers of
  // their own.
  const isNamed = code === 'upstream_rejected' && !/^\d*$/.test(upstream?.code ?? '')
  const upstreamCode = isNamed ? upstream?.code : undefined
  return {
    message,
    type: typeOf[errorRow(code).type],
    param: param ?? null,
    code: upstreamCode ?? codeOf[code] ?? code,
    ...(problems && { problems }),
  }
}

function statusOf({ code, upstream }: Failure): number {
  const isPassedOn = upstream !== undefined && upstreamWorded.has(code) && passedStatuses.has(upstream.status)
  return isPassedOn ? upstream.status : errorRow(code).status
}
