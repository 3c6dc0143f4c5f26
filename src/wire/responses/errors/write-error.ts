import type { Failure } from '../../../canonical/failure.ts'
import { isJsonObject } from '../../../kit/json/json.ts'
import { writeError as writeChatError } from '../../errors/write-error.ts'
import type { RenderedError } from '../../wire-format.ts'
import { writeFrame } from '../reply/write-frame.ts'

/** Errors are worded as in the chat format, which shares its SDK. */
export function writeError(failure: Failure): RenderedError {
  return writeChatError(failure)
}

/**
 * The frames that end a stream which cannot go on, as the service itself sends them: `error`, upon which the official
 * SDK throws, and `response.failed`, which Codex reads (recorded traffic, 2025). Their place in the sequence is told by
 * the order on the wire; the number says nothing.
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
