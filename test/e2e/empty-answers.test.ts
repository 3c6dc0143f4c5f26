import Anthropic from '@anthropic-ai/sdk'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  jsonAnswer,
  openScriptedUpstream,
  type ScriptedAnswer,
  sseAnswer,
} from '../support/scripted-upstream.ts'
import { startGateway, testKey } from '../support/start-gateway.ts'

const messages = [{ role: 'user', content: 'Hi' }]

const callers = {
  chat: (model: string, stream: boolean) => ['/v1/chat/completions', { model, messages, stream }],
  messages: (model: string, stream: boolean) => ['/v1/messages', { model, max_tokens: 9, messages, stream }],
  responses: (model: string, stream: boolean) => ['/v1/responses', { model, input: 'Hi', stream }],
  gemini: (model: string, stream: boolean) => [
    `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
  ],
} as const

const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`

const chat = { id: 'c', created: 7, model: 'up' }
const chatUsage = { prompt_tokens: 3, completion_tokens: 0, total_tokens: 3 }
const message = { id: 'm', type: 'message', role: 'assistant', model: 'up', content: [] }
const messageUsage = { input_tokens: 3, output_tokens: 0 }
const response = {
  id: 'r',
  object: 'response',
  created_at: 7,
  model: 'up',
  status: 'completed',
  output: [],
  usage: { input_tokens: 3, output_tokens: 0, total_tokens: 3 },
}
const candidates = [{ content: { role: 'model', parts: [] }, finishReason: 'STOP', index: 0 }]
const gemini = { candidates, usageMetadata: { promptTokenCount: 3, totalTokenCount: 3 } }

/** The answer of a provider whose model said nothing and ended of its own accord. */
const answers: Readonly<Record<keyof typeof callers, { whole: object; stream: readonly string[] }>> = {
  chat: {
    whole: {
      ...chat,
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'stop' }],
      usage: chatUsage,
    },
    stream: [
      event({
        ...chat,
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: 'stop' }],
        usage: chatUsage,
      }),
      'data: [DONE]\n\n',
    ],
  },
  messages: {
    whole: { ...message, stop_reason: 'end_turn', stop_sequence: null, usage: messageUsage },
    stream: [
      event({ type: 'message_start', message: { ...message, stop_reason: null, usage: messageUsage } }),
      event({
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: messageUsage,
      }),
      event({ type: 'message_stop' }),
    ],
  },
  responses: {
    whole: response,
    stream: [
      event({ type: 'response.created', response: { ...response, status: 'in_progress', usage: null } }),
      event({ type: 'response.completed', response }),
    ],
  },
  gemini: { whole: gemini, stream: [event(gemini)] },
}

const providers = { chat: 'openai', responses: 'openai', messages: 'anthropic', gemini: 'gemini' } as const
const formats = ['chat', 'messages', 'responses', 'gemini'] as const

const cleanup = new AsyncDisposableStack()
let url = ''

beforeAll(async () => {
  const channels: string[] = []
  for (const format of formats) {
    const upstream = cleanup.use(
      await openScriptedUpstream(({ body, path }): ScriptedAnswer => {
        const isStream = path.includes('streamGenerate') || body.includes('"stream":true')
        return isStream ? sseAnswer(answers[format].stream) : jsonAnswer(answers[format].whole)
      }),
    )
    channels.push(
      `- { name: ${format}, provider: ${providers[format]}, format: ${format}, base_url: "${upstream.origin}", allow_private: true, api_key: k, models: [m-${format}] }\n`,
    )
  }
  url = cleanup.use(await startGateway(`channels:\n${channels.join('')}retry: { same_target: 0 }\n`)).url
})

afterAll(() => cleanup.disposeAsync())

const pairs = formats.flatMap((channel) => formats.map((caller) => [channel, caller] as const))

it.each(pairs)(
  'an empty answer of a %s channel is an empty answer to a caller of %s, whole and streamed',
  async (channel, caller) => {
    for (const stream of [false, true]) {
      const [path, body] = callers[caller](`m-${channel}`, stream)
      const answer = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      const text = await answer.text()
      expect([stream, answer.status, text]).toEqual([stream, 200, expect.not.stringContaining('error":{')])
    }
  },
)

const part = { type: 'output_text', text: '', annotations: [] }
const item = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [part] }
const call = {
  type: 'function_call',
  id: 'fc_1',
  call_id: 'call_1',
  name: 'look',
  arguments: '{}',
  status: 'completed',
}
const ofResponses = { ...response, output: [item, call] }
const textPart = { type: 'text', text: '' }
const toolCall = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } }
const spent = { tokens: { input_tokens: 3, output_tokens: 1 } }
const finish = { finish_reason: 'TOOL_CALL', usage: spent }

/** Answers with an empty text before a call. */
const silent: Readonly<Record<'responses' | 'cohere', { whole: object; stream: readonly string[] }>> = {
  responses: {
    whole: ofResponses,
    stream: [
      event({ type: 'response.created', response: { ...response, status: 'in_progress', usage: null } }),
      event({ type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } }),
      event({
        type: 'response.content_part.added',
        item_id: 'msg_1',
        output_index: 0,
        content_index: 0,
        part,
      }),
      event({ type: 'response.output_item.done', output_index: 0, item }),
      event({ type: 'response.output_item.added', output_index: 1, item: { ...call, arguments: '' } }),
      event({ type: 'response.output_item.done', output_index: 1, item: call }),
      event({ type: 'response.completed', response: ofResponses }),
    ],
  },
  cohere: {
    whole: {
      id: 'c',
      message: { role: 'assistant', content: [textPart], tool_calls: [toolCall] },
      ...finish,
    },
    stream: [
      event({ type: 'message-start', id: 'c', delta: { message: { role: 'assistant', content: [] } } }),
      event({ type: 'content-start', index: 0, delta: { message: { content: textPart } } }),
      event({ type: 'content-end', index: 0 }),
      event({ type: 'tool-call-start', index: 0, delta: { message: { tool_calls: toolCall } } }),
      event({ type: 'tool-call-end', index: 0 }),
      event({ type: 'message-end', delta: finish }),
    ],
  },
}

it.each(['responses', 'cohere'] as const)(
  'a caller of messages gets no empty text from a %s channel, since it could not send it back',
  async (format) => {
    const { whole, stream } = silent[format]
    await using upstream = await openScriptedUpstream(({ body }) =>
      body.includes('"stream":true') ? sseAnswer(stream) : jsonAnswer(whole),
    )
    const provider = format === 'cohere' ? 'cohere' : 'openai'
    await using gateway = await startGateway(
      `channels: [{ name: up, provider: ${provider}, format: ${format}, base_url: "${upstream.origin}", allow_private: true, api_key: k, models: [m] }]\n`,
    )
    const client = new Anthropic({ apiKey: testKey, baseURL: gateway.url, maxRetries: 0 })
    const tools = [{ name: 'look', input_schema: { type: 'object' as const } }]
    const asked = { model: 'm', max_tokens: 9, messages: [{ role: 'user' as const, content: 'Hi' }], tools }
    const answers = [await client.messages.create(asked), await client.messages.stream(asked).finalMessage()]
    for (const { content } of answers) expect(content.map(({ type }) => type)).toEqual(['tool_use'])
  },
)
