/** The answer of a provider by path: well made, in small pieces of every kind of content. */
export interface GoodAnswer {
  readonly contentType: string
  readonly text: string
}

export function answerWell(path: string, body: object): GoodAnswer {
  const isStream = Reflect.get(body, 'stream') === true
  if (path.includes('/count_tokens')) return json({ input_tokens: 12 })
  if (path.includes('/messages')) return isStream ? stream(messageFrames()) : json(message)
  if (path.includes('/embeddings')) return json(vectorsFor(body))
  if (path.includes('/chat/completions')) return isStream ? stream(chatFrames()) : json(completion)
  return isStream ? stream(promptFrames()) : json(promptReply)
}

function json(value: unknown): GoodAnswer {
  return { contentType: 'application/json', text: JSON.stringify(value) }
}

function stream(frames: readonly string[]): GoodAnswer {
  return { contentType: 'text/event-stream; charset=utf-8', text: frames.join('') }
}

const head = { id: 'chatcmpl-1', created: 1_700_000_000, model: 'up' }
const usage = {
  prompt_tokens: 20,
  completion_tokens: 9,
  total_tokens: 29,
  prompt_tokens_details: { cached_tokens: 4 },
  completion_tokens_details: { reasoning_tokens: 3 },
}
const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }

const completion = {
  ...head,
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'Well.',
        reasoning_content: 'hm',
        tool_calls: [call],
        refusal: null,
      },
      logprobs: { content: [{ token: 'W', logprob: -0.1, bytes: [87], top_logprobs: [] }] },
      finish_reason: 'tool_calls',
    },
  ],
  usage,
}

function chunk(delta: unknown, finishReason: string | null = null): string {
  const value = {
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  }
  return `data: ${JSON.stringify(value)}\n\n`
}

function chatFrames(): readonly string[] {
  return [
    ': keep-alive\n\n',
    chunk({ role: 'assistant', content: '' }),
    chunk({ reasoning_content: 'hm' }),
    chunk({ content: 'Well' }),
    chunk({ content: '.' }),
    chunk({
      tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '' } }],
    }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '{"a":' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '1}' } }] }),
    chunk({}, 'tool_calls'),
    `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [], usage })}\n\n`,
    'data: [DONE]\n\n',
  ]
}

const promptReply = {
  ...head,
  object: 'text_completion',
  choices: [{ text: ' upon a time', index: 0, logprobs: null, finish_reason: 'length' }],
  usage,
}

function promptFrames(): readonly string[] {
  const frame = (text: string, finishReason: string | null) =>
    `data: ${JSON.stringify({ ...promptReply, usage: undefined, choices: [{ text, index: 0, logprobs: null, finish_reason: finishReason }] })}\n\n`
  return [frame(' upon', null), frame(' a time', null), frame('', 'length'), 'data: [DONE]\n\n']
}

const messageUsage = {
  input_tokens: 11,
  cache_read_input_tokens: 5,
  cache_creation_input_tokens: 0,
  output_tokens: 9,
}
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'up',
  content: [
    { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
    { type: 'text', text: 'Well.' },
    { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: 1 } },
  ],
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: messageUsage,
}

function event(value: { readonly type: string; readonly [field: string]: unknown }): string {
  return `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`
}

function messageFrames(): readonly string[] {
  return [
    event({ type: 'message_start', message: { ...message, content: [], stop_reason: null } }),
    event({
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'thinking', thinking: '', signature: '' },
    }),
    event({ type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } }),
    event({ type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'c2ln' } }),
    event({ type: 'content_block_stop', index: 0 }),
    event({ type: 'ping' }),
    event({ type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } }),
    event({ type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Well.' } }),
    event({ type: 'content_block_stop', index: 1 }),
    event({
      type: 'content_block_start',
      index: 2,
      content_block: { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} },
    }),
    event({
      type: 'content_block_delta',
      index: 2,
      delta: { type: 'input_json_delta', partial_json: '{"a":1}' },
    }),
    event({ type: 'content_block_stop', index: 2 }),
    event({
      type: 'message_delta',
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: messageUsage,
    }),
    event({ type: 'message_stop' }),
  ]
}

/** As many vectors as there are inputs, as far as the body still tells. */
function vectorsFor(body: object): unknown {
  const data = Array.from({ length: countInputs(body) }, (_, index) => ({
    object: 'embedding',
    index,
    embedding: [0.25, -0.5, index],
  }))
  return { object: 'list', data, model: 'up', usage: { prompt_tokens: 8, total_tokens: 8 } }
}

function countInputs(body: object): number {
  const input: unknown = Reflect.get(body, 'input')
  if (!Array.isArray(input)) return 1
  return input.length > 0 && input.every((one) => typeof one === 'number') ? 1 : input.length
}
