import { channelFormatIds } from '../../src/canonical/format.ts'
import { type GoodRequest, goodRequests } from './good-requests.ts'

const schema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const responsesBodies = [
  {
    store: false,
    instructions: 'Be brief.',
    input: [
      { role: 'user', content: [{ type: 'input_text', text: 'a' }] },
      { type: 'reasoning', id: 'r', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'e' },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"a":1}' },
      { type: 'function_call_output', call_id: 'c', output: 'ok' },
      { role: 'assistant', content: [{ type: 'output_text', text: 'b', annotations: [] }] },
      { role: 'user', content: [{ type: 'input_image', image_url: `data:image/png;base64,${pixel}` }] },
    ],
    tools: [
      { type: 'function', name: 'f', parameters: schema, strict: true },
      { type: 'custom', name: 'g' },
    ],
    tool_choice: { type: 'function', name: 'f' },
    reasoning: { effort: 'low' },
    include: ['reasoning.encrypted_content'],
    stream: true,
  },
  {
    store: false,
    input: 'Hello',
    text: { format: { type: 'json_schema', name: 'a', schema, strict: true } },
    max_output_tokens: 64,
  },
]

const geminiBodies = [
  {
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    contents: [
      { role: 'user', parts: [{ text: 'a' }, { inlineData: { mimeType: 'image/png', data: pixel } }] },
      {
        role: 'model',
        parts: [
          { text: 'hm', thought: true },
          { functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 'YWFh' },
        ],
      },
      { role: 'user', parts: [{ functionResponse: { name: 'f', response: { output: 'ok' } } }] },
    ],
    tools: [
      {
        functionDeclarations: [
          { name: 'f', parameters: { type: 'OBJECT', properties: { a: { type: 'NUMBER' } } } },
        ],
      },
    ],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
    generationConfig: { temperature: 0.5, stopSequences: ['x'], thinkingConfig: { thinkingBudget: 100 } },
  },
  {
    contents: [{ parts: [{ text: 'a' }] }],
    generation_config: { responseMimeType: 'application/json', responseSchema: { type: 'OBJECT' } },
  },
]

function forGemini(format: string): readonly GoodRequest[] {
  const path = (action: string) => `/v1beta/models/m-${format}:${action}`
  return geminiBodies.flatMap((body) => [
    { path: path('generateContent'), body },
    { path: path('streamGenerateContent?alt=sse'), body },
    { path: path('countTokens'), body: { contents: body.contents } },
  ])
}

function onEveryChannel({ path, body }: GoodRequest): readonly GoodRequest[] {
  return channelFormatIds.map((format) => ({ path, body: { ...body, model: `m-${format}` } }))
}

/** Well-made requests: every operation of callers onto a channel of every format; vectors where the format has them. */
export const goodBodies: readonly GoodRequest[] = [
  ...goodRequests
    .filter(({ body, path }) => body['model'] === 'm-chat' && !path.endsWith('/embeddings'))
    .flatMap(onEveryChannel),
  ...goodRequests.filter(({ path }) => path.endsWith('/embeddings')),
  ...responsesBodies.flatMap((body) => onEveryChannel({ path: '/v1/responses', body })),
  ...channelFormatIds.flatMap(forGemini),
  { path: '/v1beta/models/m-gemini:embedContent', body: { content: { parts: [{ text: 'a' }] } } },
  {
    path: '/v1beta/models/m-gemini:batchEmbedContents',
    body: { requests: [{ model: 'models/m-gemini', content: { parts: [{ text: 'a' }] } }] },
  },
]
