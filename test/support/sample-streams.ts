import type { BodyFormatId } from './body-formats.ts'

export interface SampleStream {
  readonly frames: readonly string[]
  readonly bytes: Buffer
  /** The offset of the first frame that shows something of the answer. */
  readonly contentAt: number
  /** The offset of the frame with the reason for the end. */
  readonly finishAt: number
}

const chatHead = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' }

function chatFrame(delta: object, reason: string | null = null): string {
  return `data: ${JSON.stringify({ ...chatHead, choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`
}

function callFrame(piece: object): string {
  return chatFrame({ tool_calls: [{ index: 0, ...piece }] })
}

const chatUsage = { prompt_tokens: 5, completion_tokens: 9, total_tokens: 14 }
const chatFrames = [
  chatFrame({ role: 'assistant', content: '' }),
  chatFrame({ reasoning_content: 'Überlegt.' }),
  chatFrame({ content: 'Grüße, ' }),
  chatFrame({ content: '漢字 👩‍👩‍👧‍👦\n' }),
  callFrame({ id: 'call_1', type: 'function', function: { name: 'look', arguments: '' } }),
  callFrame({ function: { arguments: '{"städte":["Wien",' } }),
  callFrame({ function: { arguments: '"Rom"]}' } }),
  chatFrame({}, 'tool_calls'),
  `data: ${JSON.stringify({ ...chatHead, choices: [], usage: chatUsage })}\n\n`,
  'data: [DONE]\n\n',
]

function event(type: string, more: object = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`
}

function block(index: number, start: object, ...deltas: readonly object[]): readonly string[] {
  return [
    event('content_block_start', { index, content_block: start }),
    ...deltas.map((delta) => event('content_block_delta', { index, delta })),
    event('content_block_stop', { index }),
  ]
}

const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [] }
const messagesFrames = [
  event('message_start', {
    message: {
      ...message,
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 5, output_tokens: 1 },
    },
  }),
  event('ping'),
  ...block(
    0,
    { type: 'thinking', thinking: '', signature: '' },
    { type: 'thinking_delta', thinking: 'Überlegt.' },
    { type: 'signature_delta', signature: 'c2ln' },
  ),
  ...block(
    1,
    { type: 'text', text: '' },
    { type: 'text_delta', text: 'Grüße, ' },
    { type: 'text_delta', text: '漢字 👩‍👩‍👧‍👦\n' },
  ),
  ...block(
    2,
    { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} },
    { type: 'input_json_delta', partial_json: '{"städte":["Wien",' },
    { type: 'input_json_delta', partial_json: '"Rom"]}' },
  ),
  event('message_delta', {
    delta: { stop_reason: 'tool_use', stop_sequence: null },
    usage: { output_tokens: 9 },
  }),
  event('message_stop'),
]

const responsesItems = [
  {
    type: 'reasoning',
    id: 'rs_1',
    summary: [{ type: 'summary_text', text: 'Überlegt.' }],
    encrypted_content: 'c2ln',
  },
  {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'Grüße, 漢字 👩‍👩‍👧‍👦\n', annotations: [] }],
  },
  {
    type: 'function_call',
    id: 'fc_1',
    call_id: 'call_1',
    name: 'look',
    arguments: '{"städte":["Wien","Rom"]}',
  },
]
const responsesHead = { id: 'resp_1', object: 'response', created_at: 5, model: 'gpt-5-mini' }
const part = { output_index: 1, content_index: 0 }
const responsesFrames = [
  event('response.created', { response: { ...responsesHead, status: 'in_progress', output: [] } }),
  event('response.output_item.added', {
    output_index: 0,
    item: { ...responsesItems[0], summary: [], encrypted_content: null },
  }),
  event('response.reasoning_summary_text.delta', { output_index: 0, summary_index: 0, delta: 'Überlegt.' }),
  event('response.output_item.done', { output_index: 0, item: responsesItems[0] }),
  event('response.output_item.added', { output_index: 1, item: { ...responsesItems[1], content: [] } }),
  event('response.content_part.added', { ...part, part: { type: 'output_text', text: '', annotations: [] } }),
  event('response.output_text.delta', { ...part, delta: 'Grüße, ' }),
  event('response.output_text.delta', { ...part, delta: '漢字 👩‍👩‍👧‍👦\n' }),
  event('response.output_item.done', { output_index: 1, item: responsesItems[1] }),
  event('response.output_item.added', { output_index: 2, item: { ...responsesItems[2], arguments: '' } }),
  event('response.function_call_arguments.delta', { output_index: 2, delta: '{"städte":["Wien",' }),
  event('response.function_call_arguments.delta', { output_index: 2, delta: '"Rom"]}' }),
  event('response.output_item.done', { output_index: 2, item: responsesItems[2] }),
  event('response.completed', {
    response: {
      ...responsesHead,
      status: 'completed',
      output: responsesItems,
      usage: { input_tokens: 7, output_tokens: 9, total_tokens: 16 },
    },
  }),
]

function sample(frames: readonly string[], marks: { content: string; finish: string }): SampleStream {
  const startOf = (mark: string) => {
    const index = frames.findIndex((frame) => frame.includes(mark))
    return Buffer.byteLength(frames.slice(0, index).join(''))
  }
  return {
    frames,
    bytes: Buffer.from(frames.join('')),
    contentAt: startOf(marks.content),
    finishAt: startOf(marks.finish),
  }
}

/** A stream of each format with thinking, text beyond ASCII, a call in pieces, and usage. */
export const sampleStreams: Readonly<Record<BodyFormatId, SampleStream>> = {
  chat: sample(chatFrames, { content: 'reasoning_content', finish: '"finish_reason":"' }),
  messages: sample(messagesFrames, { content: 'thinking_delta', finish: '"stop_reason":"' }),
  responses: sample(responsesFrames, {
    content: 'reasoning_summary_text.delta',
    finish: 'response.completed',
  }),
}

/** A body with which a caller of any format asks for a stream. */
export function streamRequest(model: string): object {
  const messages = [{ role: 'user', content: 'Hi' }]
  const forAll = { model, max_tokens: 64, stream: true, stream_options: { include_usage: true } }
  return { ...forAll, messages, input: 'Hi' }
}
