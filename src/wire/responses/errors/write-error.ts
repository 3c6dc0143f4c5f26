import type { Failure } from '../../../canonical/failure.ts'
import { isJsonObject } from '../../../kit/json/json.ts'
import { writeError as writeChatError } from '../../errors/write-error.ts'
import type { RenderedError } from '../../wire-format.ts'
import { writeFrame } from '../reply/write-frame.ts'

/** Errors have the shape of the chat format, which shares its SDK. */
export function writeError(failure: Failure): RenderedError {
  return writeChatError(failure)
}

/**
 * The frames that end a broken stream, as the service itself sends them: `error`, upon which the official SDK throws,
 * and `response.failed`, which Codex reads (recorded traffic, 2025). The order on the wire gives their position in the
 * sequence; the number has no meaning.
 */
export function writeErrorEvent(failure: Failure, requestId: string): string {
  const { error } = writeChatError(failure).body
  const { message = '', code = null, param = null } = isJsonObject(error) ? error : {}
  const event = { type: 'error', sequence_number: 0, code, message, param, error: error ?? null }
  const response = {
    id: requestId,
    object: 'response',
    created_at: 0,
    status: 'failed',
    error: { code, message },
    incomplete_details: null,
    output: [],
  }
  return writeFrame(event) + writeFrame({ type: 'response.failed', sequence_number: 1, response })
}
