import { createFailure, type Failure } from '../../../canonical/failure.ts'
import type { Reply } from '../../../canonical/reply.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { createUnreadableFailure } from '../../errors/create-unreadable-failure.ts'
import { joinPath } from '../../fields/read-field.ts'
import { readAssistantBlock } from '../blocks/read-block.ts'
import { createUpstreamFailure } from '../errors/create-upstream-failure.ts'
import { readErrorFields } from '../errors/read-error-fields.ts'
import { readUsage } from '../values/read-usage.ts'
import { readStopReason } from '../values/stop-reason.ts'
import { createExtras, readMessageExtras } from './read-message-extras.ts'

/** Reads a whole answer. Never throws: an error with a success status, or a body without a message, is a failure. */
export function readReply(body: JsonValue): Reply | Failure {
  const fields = readErrorFields(body)
  if (fields !== undefined) return createUpstreamFailure({ fields })
  if (!isJsonObject(body) || !isJsonArray(body['content'])) return createFailure('upstream_bad_response')
  if (body['content'].length === 0 && (body['stop_reason'] ?? undefined) === undefined) {
    return createFailure('upstream_empty')
  }
  try {
    return readMessage(body, body['content'])
  } catch (cause) {
    // This catches blocks of a wrong shape, and also JSON that is nested too deeply to be written as text.
    return createUnreadableFailure(cause)
  }
}

function readMessage(body: JsonObject, content: readonly JsonValue[]): Reply {
  const { stopReason, extraFields } = readStopReason(body['stop_reason'])
  const stopSequence = body['stop_sequence']
  const usage = readUsage(body['usage'])
  const { extras, choiceFields, serviceTier } = readMessageExtras(body)
  const choiceExtras = createExtras({ ...choiceFields, ...extraFields })
  return {
    id: typeof body['id'] === 'string' ? body['id'] : '',
    model: typeof body['model'] === 'string' ? body['model'] : '',
    choices: [
      {
        content: content.map((block, index) => readAssistantBlock(block, joinPath('content', index))),
        ...(stopReason === undefined ? {} : { stopReason }),
        ...(typeof stopSequence === 'string' ? { stopSequence } : {}),
        ...choiceExtras,
      },
    ],
    ...(usage === undefined ? {} : { usage }),
    ...(serviceTier === undefined ? {} : { serviceTier }),
    ...(extras === undefined ? {} : { extras }),
  }
}
