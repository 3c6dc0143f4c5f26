import { errorRow } from '../../../canonical/error-table.ts'
import type { Failure } from '../../../canonical/failure.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { EXCEPTION_EVENT } from '../../../kit/sse/event-stream-encoder.ts'
import { writeNamedFrame } from '../../../kit/sse/write-named-frame.ts'
import { writeError as writeChatError } from '../../errors/write-error.ts'
import type { RenderedError } from '../../wire-format.ts'

/**
 * The names of exceptions by status (API_runtime_Converse.html#…_Errors and the common errors of every AWS service,
 * seen 2026-11-25). A status without its own name is reported as a fault of the request or of the service.
 */
const nameOf: ReadonlyMap<number, string> = new Map([
  [401, 'UnrecognizedClientException'],
  [403, 'AccessDeniedException'],
  [404, 'ResourceNotFoundException'],
  [408, 'ModelTimeoutException'],
  [409, 'ConflictException'],
  [429, 'ThrottlingException'],
  [503, 'ServiceUnavailableException'],
  [504, 'ModelTimeoutException'],
])

/**
 * Writes an error. Status and headers are the same as in every other format; `x-amzn-errortype` names the exception.
 */
export function writeError(failure: Failure): RenderedError {
  const { status, headers } = writeChatError(failure)
  return {
    status,
    headers: { ...headers, 'x-amzn-errortype': nameFor(failure, status) },
    body: writeErrorBody(failure),
  }
}

function nameFor({ code }: Failure, status: number): string {
  if (errorRow(code).type === 'quota') return 'ServiceQuotaExceededException'
  return nameOf.get(status) ?? (status >= 500 ? 'InternalServerException' : 'ValidationException')
}

/** The exceptions that can end a stream, by status (API_runtime_ConverseStreamOutput.html, seen 2026-11-25). */
const streamNameOf: ReadonlyMap<number, string> = new Map([
  [400, 'validationException'],
  [413, 'validationException'],
  [422, 'validationException'],
  [429, 'throttlingException'],
  [500, 'internalServerException'],
  [503, 'serviceUnavailableException'],
])

/** The last event of a stream that fails: an exception, which clients throw. */
export function writeErrorEvent(failure: Failure): string {
  const { status } = writeChatError(failure)
  const name = streamNameOf.get(status) ?? 'modelStreamErrorException'
  return writeNamedFrame(`${EXCEPTION_EVENT}${name}`, writeErrorBody(failure))
}

function writeErrorBody({ message, code, problems }: Failure): JsonObject {
  return { message, code, ...(problems && { problems }) }
}
