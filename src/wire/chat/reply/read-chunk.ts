import { createFailure } from '../../../canonical/failure.ts'
import type { LogProbs } from '../../../canonical/reply.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { readErrorInside } from '../../errors/read-error.ts'
import { type FieldTable, knownFields, leftoversOf } from '../../fields/field-table.ts'
import { toExtras } from '../values/extras.ts'
import { readUsage } from '../values/read-usage.ts'
import { abnormalEnd } from './abnormal-end.ts'
import { findUsage } from './find-usage.ts'
import {
  takeAnnotations,
  takeAudio,
  takeContent,
  takeImages,
  takeReasoning,
  takeText,
} from './read-content-delta.ts'
import { readToolCallDelta, takeFunctionCall } from './read-tool-call-delta.ts'
import { type ChoiceState, choiceOf, failAnswer, type ReaderState } from './reader-state.ts'
import {
  choiceFields,
  chunkChoiceFields,
  chunkFields,
  completionDetailsFields,
  deltaFields,
  messageFields,
  promptDetailsFields,
  replyFields,
  usageFields,
  vendorChoiceFields,
  vendorChunkFields,
  vendorDeltaFields,
  vendorUsageFields,
} from './reply-fields.ts'
import { startReply } from './start-reply.ts'

const answerFields = knownFields(replyFields, chunkFields, vendorChunkFields)
const anyChoiceFields = knownFields(choiceFields, chunkChoiceFields, vendorChoiceFields)
const anyMessageFields = knownFields(messageFields, deltaFields, vendorDeltaFields)
const anyUsageFields = knownFields(usageFields, vendorUsageFields)
const promptDetails = knownFields(promptDetailsFields)
const completionDetails = knownFields(completionDetailsFields)

/** More answers to one question than any server gives; bounds what one odd index makes us keep. */
const MAX_CHOICES = 128

/** One chunk of a stream, or (`isWhole`) a whole answer. */
export function readChunk(state: ReaderState, chunk: JsonObject, isWhole: boolean): void {
  const failure = readErrorInside(chunk)
  if (failure !== undefined) {
    failAnswer(state, failure)
    return
  }
  takeHead(state, chunk)
  const { choices } = chunk
  const usage = findUsage(chunk)
  const hasChoices = isJsonArray(choices) && choices.length > 0
  if (hasChoices || usage !== undefined || state.id !== '') startReply(state)
  if (hasChoices) {
    for (const [position, choice] of choices.entries()) {
      if (isJsonObject(choice)) takeChoice(state, choice, { position, isWhole })
    }
  }
  takeUsage(state, usage)
}

/** What stands in every chunk. Azure's first one has it all empty. */
function takeHead(state: ReaderState, chunk: JsonObject): void {
  const { id, model, created, service_tier: serviceTier } = chunk
  if (state.id === '' && typeof id === 'string') state.id = id
  if (state.model === '' && typeof model === 'string') state.model = model
  if (typeof created === 'number' && created > 0) state.createdAtSeconds ??= created
  if (typeof serviceTier === 'string') state.serviceTier = serviceTier
  takeLeftovers(state.extras, chunk, answerFields)
}

function takeLeftovers(kept: Map<string, JsonValue>, source: JsonObject, known: FieldTable): void {
  for (const name of Object.keys(source)) {
    const value = source[name]
    if (value === undefined || (value === null && kept.has(name))) continue
    if (Object.hasOwn(known, name) && (known[name] !== 'extras' || value === null)) continue
    kept.set(name, value)
  }
}

function takeUsage(state: ReaderState, value: JsonObject | undefined): void {
  const usage = readUsage(value)
  if (value === undefined || usage === undefined) return
  state.events.push({ type: 'usage', usage })
  const prompt = value['prompt_tokens_details']
  const completion = value['completion_tokens_details']
  state.usageExtras = toExtras(leftoversOf(value, anyUsageFields), {
    prompt_tokens_details: isJsonObject(prompt) ? leftoversOf(prompt, promptDetails) : undefined,
    completion_tokens_details: isJsonObject(completion)
      ? leftoversOf(completion, completionDetails)
      : undefined,
  }).extras?.fields
}

function takeChoice(
  state: ReaderState,
  item: JsonObject,
  { position, isWhole }: { readonly position: number; readonly isWhole: boolean },
): void {
  const index = typeof item['index'] === 'number' ? item['index'] : isWhole ? position : 0
  if (!Number.isInteger(index) || index < 0 || index >= MAX_CHOICES) {
    failAnswer(state, createFailure('upstream_bad_response'))
    return
  }
  const choice = choiceOf(state, index)
  const message = messageOf(item, choice, isWhole)
  if (isJsonObject(message)) takeMessage(state, choice, { message, isWhole })
  takeLogprobs(state, choice, item['logprobs'])
  takeLeftovers(choice.extras, item, anyChoiceFields)
  takeFinish(state, choice, { value: item['finish_reason'], isWhole })
}

/** A stream's chunk may hold the whole message besides, which says nothing new once its pieces were seen. */
function messageOf(item: JsonObject, choice: ChoiceState, isWhole: boolean): JsonValue | undefined {
  const { delta, message } = item
  if (isWhole) return message ?? delta
  const isNew = choice.blockCount === 0 && choice.calls.all.length === 0
  return delta ?? (isNew ? message : undefined)
}

/** The order of the fields of a message, as blocks. */
function takeMessage(
  state: ReaderState,
  choice: ChoiceState,
  { message, isWhole }: { readonly message: JsonObject; readonly isWhole: boolean },
): void {
  takeReasoning(state, choice, message)
  takeContent(state, choice, message['content'])
  takeAnnotations(state, choice, message['annotations'])
  takeText(state, choice, { type: 'refusal', text: message['refusal'] })
  takeAudio(state, choice, message['audio'])
  takeImages(state, choice, message['images'])
  readToolCallDelta(state, choice, { value: message['tool_calls'], isWhole })
  takeFunctionCall(state, choice, message['function_call'])
  takeLeftovers(choice.messageExtras, message, anyMessageFields)
}

function takeLogprobs(state: ReaderState, choice: ChoiceState, value: JsonValue | undefined): void {
  if (!isJsonObject(value)) return
  const { content, refusal } = value
  const logprobs: LogProbs = omitUndefined({
    content: isJsonArray(content) ? content : undefined,
    refusal: isJsonArray(refusal) ? refusal : undefined,
  })
  if (Object.keys(logprobs).length === 0) return
  state.events.push({ type: 'logprobs-delta', choice: choice.index, logprobs })
}

/**
 * The first reason counts; some servers repeat it. Some put the empty text into every chunk, so that in a stream it
 * says nothing; in a whole answer it is a reason that is not known.
 */
function takeFinish(
  state: ReaderState,
  choice: ChoiceState,
  { value, isWhole }: { readonly value: JsonValue | undefined; readonly isWhole: boolean },
): void {
  const code = abnormalEnd(value)
  if (code !== undefined) {
    failAnswer(state, createFailure(code))
    return
  }
  const isNamed = (typeof value === 'string' && (value !== '' || isWhole)) || typeof value === 'number'
  if (isNamed) choice.finish ??= value
}
