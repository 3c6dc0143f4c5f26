import type { Failure } from '../../canonical/failure.ts'
import { isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import { createRequestId } from '../../kit/random/ids.ts'
import { chatFormat } from '../../wire/chat/format.ts'

/** The event of an error of ours, in the words of OpenAI's errors; `callersId` is that of the event at fault. */
export function writeSessionError(
  failure: Failure,
  callersId: string | undefined,
  nowMs: number,
): JsonObject {
  const event_id = `event_${createRequestId(nowMs)}`
  const { error } = chatFormat.writeError(failure, event_id).body
  const shown = isJsonObject(error) ? error : {}
  return { type: 'error', event_id, error: { ...shown, event_id: callersId ?? null } }
}
