import { createLossList, type Written } from '../../../canonical/loss.ts'
import type { Reply } from '../../../canonical/reply.ts'
import { isOfChoice } from '../../../canonical/reply-event.ts'
import { unfoldReply } from '../../../canonical/unfold-reply.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import type { AnswerForm } from '../../answer-form.ts'
import { joinFields } from '../../fields/extras.ts'
import { type LogprobLists, sumLogprobs } from '../../openai/values/sum-logprobs.ts'
import { writeUsage } from '../../openai/values/write-usage.ts'
import { writeServedTier } from '../../served-tier.ts'
import { withExtras } from '../values/extras.ts'
import { createDeltaWriter, type DeltaPiece } from './delta-writer.ts'

interface MessageSum {
  message: JsonObject
  /**
   * The calls of the message, in a list that grows in place. A copy for each piece would cost the square of the calls.
   */
  readonly calls: JsonValue[]
  logprobs: LogprobLists | undefined
  finishReason: string
  more: JsonObject
}

/** Writes a whole answer as the sum of the pieces that its stream would have. */
export function writeReply(reply: Reply, form: AnswerForm = {}): Written<JsonObject> {
  const losses = createLossList()
  const writer = createDeltaWriter(losses, { ...form, isStream: false })
  const sums = reply.choices.map(
    (): MessageSum => ({ message: {}, calls: [], logprobs: undefined, finishReason: 'stop', more: {} }),
  )
  for (const event of unfoldReply(reply)) {
    const piece = isOfChoice(event) ? writer.push(event) : undefined
    const sum = piece === undefined ? undefined : sums[piece.choice]
    if (piece !== undefined && sum !== undefined) addPiece(sum, piece)
  }
  const body = omitUndefined({
    id: reply.id,
    object: 'chat.completion',
    created: reply.createdAtSeconds ?? 0,
    model: reply.model,
    choices: sums.map(writeChoice),
    usage: reply.usage === undefined ? undefined : writeUsage(reply.usage, losses),
    service_tier: writeServedTier('chat', reply.serviceTier, losses),
  })
  return { value: withExtras(body, reply.extras, { losses, path: '' }), losses: losses.all }
}

function addPiece(sum: MessageSum, { before, delta, logprobs, finishReason, more }: DeltaPiece): void {
  if (before !== undefined) sum.message = addDelta(sum.message, before, sum.calls)
  sum.message = addDelta(sum.message, delta, sum.calls)
  if (logprobs !== undefined) sum.logprobs = sumLogprobs(sum.logprobs, logprobs)
  if (finishReason !== undefined) sum.finishReason = finishReason
  if (more !== undefined) sum.more = more
}

/** Adds a delta to the message. Texts and lists grow, and calls grow by their index. A new field is set unchanged. */
function addDelta(message: JsonObject, delta: JsonObject, calls?: JsonValue[]): JsonObject {
  const sum: Record<string, JsonValue | undefined> = { ...message }
  for (const [name, value] of Object.entries(delta)) {
    if (value === undefined) continue
    sum[name] =
      name === 'tool_calls' && calls !== undefined ? addCalls(calls, value) : addValue(sum[name], value)
  }
  return sum
}

function addValue(before: JsonValue | undefined, value: JsonValue): JsonValue {
  if (typeof before === 'string' && typeof value === 'string') return before + value
  if (isJsonArray(before) && isJsonArray(value)) return [...before, ...value]
  return isJsonObject(before) && isJsonObject(value) ? addDelta(before, value) : value
}

function addCalls(calls: JsonValue[], pieces: JsonValue): JsonValue {
  for (const piece of isJsonArray(pieces) ? pieces : []) {
    if (!isJsonObject(piece)) continue
    const { index, ...more } = piece
    const path = typeof index === 'number' ? index : calls.length
    calls[path] = addValue(calls[path], more)
  }
  return calls
}

/** The fields that a message may have instead of text. */
const withoutWords = ['tool_calls', 'function_call', 'audio', 'refusal', 'images'] as const

function writeChoice(sum: MessageSum, index: number): JsonObject {
  const { content, ...more } = sum.message
  const isSilent = withoutWords.some((name) => more[name] !== undefined)
  const choice = {
    index,
    message: joinFields(
      { role: 'assistant', content: content ?? (isSilent ? null : '') },
      { refusal: null, ...more },
    ),
    logprobs: sum.logprobs ?? null,
    finish_reason: sum.finishReason,
  }
  return joinFields(choice, sum.more)
}
