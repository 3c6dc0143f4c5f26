import type { Failure } from '../../../canonical/failure.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { writeError as writeChatError } from '../../errors/write-error.ts'
import type { RenderedError } from '../../wire-format.ts'

/**
 * Ollama's errors are a text; the error code next to it is ours. Status and headers are the same as in every other
 * format.
 */
export function writeError(failure: Failure): RenderedError {
  const { status, headers } = writeChatError(failure)
  return { status, headers, body: writeErrorBody(failure) }
}

/** Writes the last line of a failed stream. The official client throws at this line, and `done` never arrives. */
export function writeErrorEvent(failure: Failure): string {
  return `${JSON.stringify(writeErrorBody(failure))}\n`
}

function writeErrorBody({ message, code, problems }: Failure): JsonObject {
  return { error: message, code, ...(problems && { problems }) }
}
