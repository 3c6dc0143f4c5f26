import type { ErrorType } from '../../canonical/error-row.ts'
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

/** Codes that clients of the format know under another name. */
const codeOf: Partial<Record<ErrorCode, string>> = {
  upstream_rate_limited: 'rate_limit_exceeded',
  concurrency_limit_exceeded: 'rate_limit_exceeded',
  budget_exceeded: 'insufficient_quota',
}

/** Faults of the request that an upstream found keep its status, since clients choose their class of error by it. */
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

/** The last frame of a stream that cannot go on; no terminator follows. */
export function writeErrorEvent(failure: Failure): string {
  return `data: ${JSON.stringify({ error: writeErrorObject(failure) })}\n\n`
}

function writeErrorObject(failure: Failure): JsonObject {
  const { code, message, param, upstream, problems } = failure
  // A number is no code that a client of the format knows: some servers repeat the status, others count their own.
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
