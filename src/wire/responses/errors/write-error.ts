import type { Failure } from '../../../canonical/failure.ts'
import { isJsonObject } from '../../../kit/json/json.ts'
import { writeError as writeChatError } from '../../errors/write-error.ts'
import type { RenderedError } from '../../wire-format.ts'
import { writeFrame } from '../reply/write-frame.ts'

/** Errors have the same shape as in the chat format, which has the same SDK. */
export function writeError(failure: Failure): RenderedError {
  return writeChatError(failure)
}

/** Writes the frames that end a broken stream. Their numbers go on from those of the frames before. */
export function writeErrorEvent(failure: Failure, requestId: string, shown?: Buffer | string): string {
  return writeFailedEnd(failure, requestId, shown === undefined ? 0 : numberAfter(shown.toString()))
}

/**
 * Writes the frames that end a broken stream, as the service itself sends them: `error`, which makes the official SDK
 * throw, and `response.failed`, which Codex reads (recorded traffic, 2025).
 */
export function writeFailedEnd(failure: Failure, requestId: string, number: number): string {
  const { error } = writeChatError(failure).body
  const { message = '', code = null, param = null } = isJsonObject(error) ? error : {}
  const event = { type: 'error', sequence_number: number, code, message, param, error: error ?? null }
  const response = {
    id: requestId,
    object: 'response',
    created_at: 0,
    status: 'failed',
    error: { code, message },
    incomplete_details: null,
    output: [],
  }
  return writeFrame(event) + writeFrame({ type: 'response.failed', sequence_number: number + 1, response })
}

/** The same words within a text of the answer are escaped, so that they do not match. */
const NUMBER_NAME = '"sequence_number":'

/** The number that follows the last one in these frames; 0 where they have none. */
function numberAfter(frames: string): number {
  const at = frames.lastIndexOf(NUMBER_NAME)
  const digits = at === -1 ? undefined : /^\s*(\d{1,15})/.exec(frames.slice(at + NUMBER_NAME.length))?.[1]
  return digits === undefined ? 0 : Number(digits) + 1
}
