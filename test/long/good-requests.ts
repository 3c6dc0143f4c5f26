/** Requests that are well made, for every operation; `MODEL` is a model of a channel of either format. */
export interface GoodRequest {
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
}

const calls = [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }]
const chatTools = [
  { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } },
]
const schema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const chatBodies: readonly Readonly<Record<string, unknown>>[] = [
  { messages: [{ role: 'user', content: 'Hello' }], stream: true, stream_options: { include_usage: true } },
  {
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
        ],
      },
      { role: 'assistant', content: null, tool_calls: calls },
      { role: 'tool', tool_call_id: 'c1', content: 'ok' },
    ],
    tools: chatTools,
    tool_choice: 'auto',
    temperature: 0.5,
    stop: ['x'],
  },
  {
    messages: [
      { role: 'developer', content: 'd' },
      { role: 'user', content: 'q', name: 'n' },
    ],
    response_format: { type: 'json_schema', json_schema: { name: 'a', strict: true, schema } },
    reasoning_effort: 'low',
    max_completion_tokens: 200,
    stream: true,
    n: 1,
    seed: 7,
    user: 'u',
    logit_bias: { 5: -1 },
  },
]

const messagesBodies: readonly Readonly<Record<string, unknown>>[] = [
  {
    max_tokens: 100,
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
    messages: [
      {
        role: 'user',
        content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } }],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 's' },
          { type: 'tool_use', id: 't', name: 'f', input: { a: [1, 2] } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't', content: 'ok', is_error: false },
          { type: 'text', text: 'go on' },
        ],
      },
    ],
    tools: [{ name: 'f', input_schema: { type: 'object' } }],
    thinking: { type: 'enabled', budget_tokens: 50 },
    stream: true,
  },
  {
    max_tokens: 64,
    messages: [{ role: 'user', content: 'Hello' }],
    output_config: { format: { type: 'json_schema', schema } },
    stop_sequences: ['x'],
    metadata: { user_id: 'u' },
  },
]

const promptBodies: readonly Readonly<Record<string, unknown>>[] = [
  { prompt: 'Once', max_tokens: 10, stream: true },
  { prompt: ['Once', 'Twice'], max_tokens: 10, echo: true, logprobs: 2, n: 1, suffix: '.', best_of: 1 },
]

const inputBodies: readonly Readonly<Record<string, unknown>>[] = [
  { input: 'Hello', encoding_format: 'base64', dimensions: 3 },
  { input: ['a', 'b', 'c', 'd', 'e'], user: 'u' },
  {
    input: [
      [1, 2, 3],
      [4, 5],
    ],
    encoding_format: 'float',
  },
]

const ollamaBodies: readonly Readonly<Record<string, unknown>>[] = [
  {
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'a', images: [pixel] },
      {
        role: 'assistant',
        content: '',
        thinking: 'hm',
        tool_calls: [{ function: { name: 'f', arguments: {} } }],
      },
      { role: 'tool', content: 'ok', tool_name: 'f' },
    ],
    tools: chatTools,
    options: { num_predict: 50, temperature: 0.5, stop: ['x'], num_ctx: 9 },
    keep_alive: '5m',
  },
  { messages: [{ role: 'user', content: 'q' }], stream: false, format: schema, think: 'low' },
]

const converseBodies: readonly Readonly<Record<string, unknown>>[] = [
  {
    system: [{ text: 'Be brief.' }, { cachePoint: { type: 'default' } }],
    messages: [
      { role: 'user', content: [{ text: 'a' }, { image: { format: 'png', source: { bytes: pixel } } }] },
      { role: 'assistant', content: [{ toolUse: { toolUseId: 't', name: 'f', input: { a: 1 } } }] },
      { role: 'user', content: [{ toolResult: { toolUseId: 't', content: [{ json: { a: 1 } }] } }] },
    ],
    toolConfig: {
      tools: [{ toolSpec: { name: 'f', inputSchema: { json: { type: 'object' } } } }],
      toolChoice: { auto: {} },
    },
    inferenceConfig: { maxTokens: 50, temperature: 0.5, stopSequences: ['x'] },
    additionalModelRequestFields: { thinking: { type: 'disabled' }, top_k: 5 },
  },
]

function forModels(
  path: string,
  models: readonly string[],
  bodies: readonly Readonly<Record<string, unknown>>[],
): readonly GoodRequest[] {
  return models.flatMap((model) => bodies.map((body) => ({ path, body: { model, ...body } })))
}

const conversationModels = ['m-chat', 'm-messages']

export const goodRequests: readonly GoodRequest[] = [
  ...forModels('/v1/chat/completions', conversationModels, chatBodies),
  ...forModels('/v1/messages?beta=true', conversationModels, messagesBodies),
  ...forModels('/v1/completions', conversationModels, promptBodies),
  ...forModels('/v1/embeddings', ['m-chat'], inputBodies),
  ...forModels('/v1/messages/count_tokens', conversationModels, messagesBodies),
  ...forModels('/api/chat', conversationModels, ollamaBodies),
  ...forModels('/api/generate', conversationModels, [{ prompt: 'Once', images: [pixel], system: 's' }]),
  ...forModels('/api/embed', ['m-chat'], [{ input: ['a', 'b'], dimensions: 3 }]),
  ...['converse', 'converse-stream'].flatMap((operation) =>
    conversationModels.flatMap((model) =>
      converseBodies.map((body) => ({ path: `/model/${model}/${operation}`, body })),
    ),
  ),
]
