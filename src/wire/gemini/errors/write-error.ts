import { type ErrorCode, errorRow } from '../../../canonical/error-table.ts'
import type { Failure } from '../../../canonical/failure.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { writeDataFrame } from '../../../kit/sse/write-data-frame.ts'
import { writeError as writeChatError } from '../../errors/write-error.ts'
import type { RenderedError } from '../../wire-format.ts'

/** Google's names for statuses (https://google.aip.dev/193 and google.rpc.Code, seen 2026-11-20). */
const nameOf: ReadonlyMap<number, string> = new Map([
  [400, 'INVALID_ARGUMENT'],
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [405, 'UNIMPLEMENTED'],
  [408, 'DEADLINE_EXCEEDED'],
  [409, 'ABORTED'],
  [413, 'INVALID_ARGUMENT'],
  [422, 'INVALID_ARGUMENT'],
  [429, 'RESOURCE_EXHAUSTED'],
  [499, 'CANCELLED'],
  [501, 'UNIMPLEMENTED'],
  [503, 'UNAVAILABLE'],
  [504, 'DEADLINE_EXCEEDED'],
])

/** Reasons that the official clients know under another name. */
const reasonOf: Partial<Record<ErrorCode, string>> = {
  upstream_rate_limited: 'RATE_LIMIT_EXCEEDED',
  concurrency_limit_exceeded: 'RATE_LIMIT_EXCEEDED',
  budget_exceeded: 'QUOTA_EXHAUSTED',
  invalid_api_key: 'API_KEY_INVALID',
}

/** Writes an error for a caller of this format. Status and headers are the same as in every other format. */
export function writeError(failure: Failure): RenderedError {
  const { status, headers } = writeChatError(failure)
  return { status, headers, body: writeErrorBody(failure, status, headers) }
}

/** The last frame of a stream that fails. The official SDK throws when it reads this frame; no frame follows. */
export function writeErrorEvent(failure: Failure): string {
  const { status, headers } = writeChatError(failure)
  return writeDataFrame(writeErrorBody(failure, status, headers))
}

function writeErrorBody(failure: Failure, status: number, headers: RenderedError['headers']): JsonObject {
  const { code, message, param, problems } = failure
  const reason = reasonOf[code] ?? code.toUpperCase()
  const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'headgate' }
  const details: JsonObject[] = [info]
  if (param !== undefined) {
    const fieldViolations = [{ field: param, description: message }]
    details.push({ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations })
  }
  const seconds = errorRow(code).retry === 'wait' ? headers['retry-after'] : undefined
  if (seconds !== undefined) {
    details.push({ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${seconds}s` })
  }
  return {
    error: {
      code: status,
      message,
      status: nameOf.get(status) ?? (status >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT'),
      details,
      ...(problems && { problems }),
    },
  }
}
