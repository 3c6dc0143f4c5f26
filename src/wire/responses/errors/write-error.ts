import type { Failure } from '../../../canonical/failure.ts'
import { isJsonObject } from '../../../kit/json/json.ts'
import { writeError as writeChatError } from '../../errors/write-error.ts'
import type { RenderedError } from '../../wire-format.ts'
import { writeFrame } from '../reply/write-frame.ts'

/** Errors have the same shape as in the chat format, which has the same SDK. */
export function writeError(failure: Failure): RenderedError {
  return writeChatError(failure)
}

/**
 * Writes the frames that end a broken stream, as the service itself sends them: `error`, which makes the official SDK
 * throw, and `response.failed`, which Codex reads (recorded traffic, 2025). The order of the frames gives their
 * position in the sequence. The sequence number has no meaning.
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
