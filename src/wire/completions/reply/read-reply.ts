import type { AssistantBlock } from '../../../canonical/content.ts'
import { createFailure, type Failure } from '../../../canonical/failure.ts'
import type { Choice, LogProbs, Reply } from '../../../canonical/reply.ts'
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectsIn,
} from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { knownFields, leftoversOf } from '../../fields/field-table.ts'
import { readUsage } from '../../openai/values/read-usage.ts'
import { readStopReason } from '../../openai/values/stop-reason.ts'
import { usageFields, vendorUsageFields } from '../../openai/values/usage-fields.ts'
import { choiceFields, replyFields } from '../request/request-fields.ts'
import { toExtras } from '../values/extras.ts'
import { findFailure } from '../verbatim/watch-reply.ts'

const knownInReply = knownFields(replyFields)

const knownInChoice = knownFields(choiceFields)

const knownInUsage = knownFields(usageFields, vendorUsageFields)

/** Reads a reply. Never throws: a reply that is not an answer of the format becomes a failure. */
export function readReply(body: JsonValue): Reply | Failure {
  if (!isJsonObject(body)) return createFailure('upstream_bad_response')
  const failure = findFailure(body)
  if (failure !== undefined) return failure
  const { id, model, created, usage } = body
  const usageLeftovers = isJsonObject(usage) ? leftoversOf(usage, knownInUsage) : undefined
  return omitUndefined({
    id: typeof id === 'string' ? id : '',
    model: typeof model === 'string' ? model : '',
    createdAtSeconds: typeof created === 'number' && created > 0 ? created : undefined,
    choices: inOrder(body['choices']).map(readChoice),
    usage: readUsage(usage),
    ...toExtras(leftoversOf(body, knownInReply), { usage: usageLeftovers }),
  })
}

/** Returns the choices sorted by index. Choices without an index stay in the order of the list. */
function inOrder(choices: JsonValue | undefined): readonly JsonObject[] {
  const list = objectsIn(choices)
  const indexOf = ({ index }: JsonObject) => (typeof index === 'number' ? index : 0)
  return [...list].sort((one, other) => indexOf(one) - indexOf(other))
}

function readChoice(choice: JsonObject): Choice {
  const { text, finish_reason: reason, logprobs: given } = choice
  const content: AssistantBlock[] = typeof text === 'string' && text !== '' ? [{ type: 'text', text }] : []
  const isNamed = typeof reason === 'string' || typeof reason === 'number'
  const logprobs = readLogprobs(given)
  const unread = logprobs === undefined && isJsonObject(given) ? given : undefined
  return omitUndefined({
    content,
    stopReason: isNamed ? readStopReason(reason, false) : undefined,
    logprobs,
    ...toExtras(leftoversOf(choice, knownInChoice), { logprobs: unread }),
  })
}

/**
 * Reads the log probabilities of an answer's tokens. This format sends them as parallel lists. The result has one entry
 * per token in the chat format's shape, with the token's offset in the text added. Undefined where there are none, or
 * where the lengths of the lists differ.
 */
export function readLogprobs(value: JsonValue | undefined): LogProbs | undefined {
  if (!isJsonObject(value)) return undefined
  const { tokens, token_logprobs: logprobs, top_logprobs: tops, text_offset: offsets } = value
  if (!isJsonArray(tokens) || !isJsonArray(logprobs) || tokens.length !== logprobs.length) return undefined
  const at = (list: JsonValue | undefined, index: number) => (isJsonArray(list) ? list[index] : undefined)
  const content = tokens.map((token, index) =>
    omitUndefined({
      token,
      logprob: logprobs[index] ?? null,
      top_logprobs: readAlternatives(at(tops, index)),
      text_offset: at(offsets, index),
    }),
  )
  return { content }
}

function readAlternatives(value: JsonValue | undefined): readonly JsonObject[] | null {
  if (!isJsonObject(value)) return null
  return Object.entries(value).map(([token, logprob]) => ({ token, logprob }))
}
