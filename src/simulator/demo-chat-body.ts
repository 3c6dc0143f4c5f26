import type { JsonObject } from '../kit/json/json.ts'
import type { DemoAnswer } from './demo-answer.ts'
import { type DemoRequest, demoChatModel } from './demo-request.ts'

export interface AnswerLabel {
  readonly id: string
  readonly createdAtSeconds: number
}

/** Writes a whole reply of the chat format. */
export function writeDemoReply(answer: DemoAnswer, request: DemoRequest, label: AnswerLabel): JsonObject {
  const toolCalls = answer.calls.map((call, index) => ({
    ...callHead(label, index),
    function: { name: call.name, arguments: call.argumentPieces.join('') },
  }))
  const message = {
    role: 'assistant',
    content: answer.calls.length > 0 ? null : answer.textPieces.join(''),
    refusal: null,
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
  }
  const choices = numbers(request.choices).map((index) => ({
    index,
    message,
    logprobs: null,
    finish_reason: answer.finishReason,
  }))
  return { ...head(label, 'chat.completion'), choices, usage: usageOf(answer) }
}

/** Writes the chunks of a streamed reply, without the final `[DONE]`. */
export function writeDemoChunks(
  answer: DemoAnswer,
  request: DemoRequest,
  label: AnswerLabel,
): readonly JsonObject[] {
  const base = {
    ...head(label, 'chat.completion.chunk'),
    ...(request.includeUsage ? { usage: null } : {}),
  }
  const deltas: readonly JsonObject[] = [
    { role: 'assistant', content: answer.calls.length > 0 ? null : '' },
    ...answer.textPieces.map((content) => ({ content })),
    ...answer.calls.flatMap((call, index) => callDeltas(call, index, label)),
  ]
  const chunks = numbers(request.choices).flatMap((index) => [
    ...deltas.map((delta) => chunk(base, index, { delta, finish_reason: null })),
    chunk(base, index, { delta: {}, finish_reason: answer.finishReason }),
  ])
  if (!request.includeUsage) return chunks
  return [...chunks, { ...base, choices: [], usage: usageOf(answer) }]
}

function chunk(base: JsonObject, index: number, more: JsonObject): JsonObject {
  return { ...base, choices: [{ index, ...more, logprobs: null }] }
}

function callDeltas(
  call: DemoAnswer['calls'][number],
  index: number,
  label: AnswerLabel,
): readonly JsonObject[] {
  const first = { index, ...callHead(label, index), function: { name: call.name, arguments: '' } }
  const pieces = call.argumentPieces.map((text) => ({ index, function: { arguments: text } }))
  return [first, ...pieces].map((piece) => ({ tool_calls: [piece] }))
}

function callHead(label: AnswerLabel, index: number): JsonObject {
  return { id: `call_${label.id}_${index}`, type: 'function' }
}

function head(label: AnswerLabel, object: string): JsonObject {
  return { id: `chatcmpl-${label.id}`, object, created: label.createdAtSeconds, model: demoChatModel }
}

function usageOf({ promptTokens, completionTokens }: DemoAnswer): JsonObject {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0 },
  }
}

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index)
}
