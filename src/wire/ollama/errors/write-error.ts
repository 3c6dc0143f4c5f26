import type { Failure } from '../../../canonical/failure.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { writeError as writeChatError } from '../../errors/write-error.ts'
import type { RenderedError } from '../../wire-format.ts'

/** Ollama's errors are a text; the code beside it is ours. Status and headers are those of every other format. */
export function writeError(failure: Failure): RenderedError {
  const { status, headers } = writeChatError(failure)
  return { status, headers, body: writeErrorBody(failure) }
}

/** The last line of a stream that cannot go on: the official client throws at it, and `done` never comes. */
export function writeErrorEvent(failure: Failure): string {
  return `${JSON.stringify(writeErrorBody(failure))}\n`
}

function writeErrorBody({ message, code, problems }: Failure): JsonObject {
  return { error: message, code, ...(problems && { problems }) }
}
