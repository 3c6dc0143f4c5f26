// The answers of the warm-up's upstream, in each format.
import type { FormatId } from '../../canonical/format.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { writeDataFrame } from '../../kit/sse/write-data-frame.ts'
import { writeNamedFrame } from '../../kit/sse/write-named-frame.ts'

/** The answers of one format. */
export interface WarmUpAnswers {
  readonly whole: string
  /** The stream, in the parts that are sent one after the other. */
  readonly stream: readonly string[]
}

const MODEL = 'warm-up'
const PIECES = Array.from({ length: 16 }, (_, index) => ` word ${index}`)
const STREAMED = PIECES.join('')
/** This text is longer, since the length of an answer that is not streamed decides how it is read. */
const TEXT = STREAMED.repeat(8)
const CREATED = 1_750_000_000

export const warmUpAnswers: Readonly<Record<FormatId, WarmUpAnswers>> = {
  chat: answerChat(),
  messages: answerMessages(),
  responses: answerResponses(),
  gemini: answerGemini(),
}

function answerChat(): WarmUpAnswers {
  const usage = { prompt_tokens: 20, completion_tokens: 32, total_tokens: 52 }
  const label = (object: string) => ({ id: 'chatcmpl-warm-up', object, created: CREATED, model: MODEL })
  const chunk = (choices: readonly JsonObject[], more: JsonObject) =>
    writeDataFrame({ ...label('chat.completion.chunk'), choices: [...choices], ...more })
  const delta = (given: JsonObject, finish: string | null) =>
    chunk([{ index: 0, delta: given, logprobs: null, finish_reason: finish }], { usage: null })
  const message = { role: 'assistant', content: TEXT, refusal: null }
  return {
    whole: JSON.stringify({
      ...label('chat.completion'),
      choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
      usage,
    }),
    stream: [
      delta({ role: 'assistant', content: '' }, null),
      ...PIECES.map((content) => delta({ content }, null)),
      delta({}, 'stop'),
      `${chunk([], { usage })}data: [DONE]\n\n`,
    ],
  }
}

function answerMessages(): WarmUpAnswers {
  const message = { id: 'msg_warm-up', type: 'message', role: 'assistant', model: MODEL }
  const end = { stop_reason: 'end_turn', stop_sequence: null }
  const event = (type: string, more: JsonObject) => writeNamedFrame(type, { type, ...more })
  const usage = { input_tokens: 20, output_tokens: 1 }
  return {
    whole: JSON.stringify({
      ...message,
      content: [{ type: 'text', text: TEXT }],
      ...end,
      usage: { ...usage, output_tokens: 32 },
    }),
    stream: [
      event('message_start', {
        message: { ...message, content: [], stop_reason: null, stop_sequence: null, usage },
      }) + event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      ...PIECES.map((text) =>
        event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
      ),
      event('content_block_stop', { index: 0 }) +
        event('message_delta', { delta: end, usage: { output_tokens: 32 } }) +
        event('message_stop', {}),
    ],
  }
}

function answerResponses(): WarmUpAnswers {
  const ofItem = { item_id: 'msg_warm-up', output_index: 0, content_index: 0 }
  const part = { type: 'output_text', annotations: [], logprobs: [] }
  const item = { id: ofItem.item_id, type: 'message', role: 'assistant' }
  const response = { id: 'resp_warm-up', object: 'response', created_at: CREATED, model: MODEL, error: null }
  const open = { ...response, status: 'in_progress', output: [], usage: null }
  const usage = { input_tokens: 20, output_tokens: 32, total_tokens: 52 }
  const done = (text: string) => ({ ...item, status: 'completed', content: [{ ...part, text }] })
  const completed = (text: string) => ({ ...response, status: 'completed', output: [done(text)], usage })
  let number = 0
  const event = (type: string, more: JsonObject) => {
    const frame = writeNamedFrame(type, { type, sequence_number: number, ...more })
    number += 1
    return frame
  }
  return {
    whole: JSON.stringify(completed(TEXT)),
    stream: [
      event('response.created', { response: open }) + event('response.in_progress', { response: open }),
      event('response.output_item.added', {
        output_index: 0,
        item: { ...item, status: 'in_progress', content: [] },
      }) + event('response.content_part.added', { ...ofItem, part: { ...part, text: '' } }),
      ...PIECES.map((delta) => event('response.output_text.delta', { ...ofItem, delta, logprobs: [] })),
      event('response.output_text.done', { ...ofItem, text: STREAMED, logprobs: [] }) +
        event('response.content_part.done', { ...ofItem, part: { ...part, text: STREAMED } }) +
        event('response.output_item.done', { output_index: 0, item: done(STREAMED) }),
      event('response.completed', { response: completed(STREAMED) }),
    ],
  }
}

function answerGemini(): WarmUpAnswers {
  const usageMetadata = { promptTokenCount: 20, candidatesTokenCount: 32, totalTokenCount: 52 }
  const answer = (text: string, more: JsonObject) => ({
    candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0, ...more }],
    usageMetadata,
    modelVersion: MODEL,
    responseId: 'warm-up',
  })
  const end = { finishReason: 'STOP' }
  return {
    whole: JSON.stringify(answer(TEXT, end)),
    stream: [...PIECES.map((text) => writeDataFrame(answer(text, {}))), writeDataFrame(answer(' end', end))],
  }
}
