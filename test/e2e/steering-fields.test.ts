import { describe, expect, it } from 'vitest'
import type { ChannelFormatId } from '../../src/canonical/format.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { jsonAnswer, openScriptedUpstream } from '../support/scripted-upstream.ts'
import { startGateway, testKey } from '../support/start-gateway.ts'

/** Looks like reasoning that was sealed here, which a channel of the same format is never sent as it is. */
const mark = '~headgate.2.x'
const markInBase64 = Buffer.from(mark).toString('base64')
const question = { role: 'user', content: 'Hi' }

interface Scene {
  readonly provider: string
  readonly format: ChannelFormatId
  readonly path: string
  readonly body: object
  readonly answer: object
}

const chat = {
  format: 'chat',
  path: '/v1/chat/completions',
  body: {
    model: 'm',
    messages: [
      question,
      {
        role: 'assistant',
        content: 'a',
        reasoning_details: [{ type: 'reasoning.text', text: 'a', signature: mark }],
      },
      question,
    ],
  },
  answer: {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  },
} as const
const responses = {
  format: 'responses',
  path: '/v1/responses',
  body: {
    model: 'm',
    input: [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: mark }, question],
  },
  answer: {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'm',
    output: [
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Yes.', annotations: [] }],
      },
    ],
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  },
} as const
const messages = {
  format: 'messages',
  path: '/v1/messages',
  body: {
    model: 'm',
    max_tokens: 9,
    messages: [
      question,
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: mark },
          { type: 'text', text: 'a' },
        ],
      },
      question,
    ],
  },
  answer: {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'Yes.' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  },
} as const
const gemini = {
  format: 'gemini',
  path: '/v1beta/models/m:generateContent',
  body: {
    contents: [
      { role: 'user', parts: [{ text: 'Hi' }] },
      { role: 'model', parts: [{ text: 'a', thoughtSignature: markInBase64 }] },
      { role: 'user', parts: [{ text: 'Hi' }] },
    ],
  },
  answer: {
    candidates: [{ content: { role: 'model', parts: [{ text: 'Yes.' }] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  },
} as const
const embeddings = {
  format: 'chat',
  path: '/v1/embeddings',
  // Several calls of one input each, which are rewritten.
  body: { model: 'm', input: ['a', 'b'] },
  answer: { object: 'list', data: [{ object: 'embedding', index: 0, embedding: [1] }], model: 'm' },
} as const

/** The answer that the caller got, and the bodies that the channel got. */
async function send({ provider, format, path, body, answer }: Scene, more: object, settings = '') {
  await using upstream = await openScriptedUpstream(jsonAnswer(answer))
  const channel = { provider, format, origin: upstream.origin, models: ['m'], more: settings }
  const limits = 'models: { m: { max_embedding_inputs: 1 } }\n'
  await using gateway = await startGateway(channelYaml(channel) + limits)
  const response = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, ...more }),
  })
  const text = await response.text()
  return {
    status: response.status,
    text,
    sent: upstream.requests.map((request) => JSON.parse(request.body.toString('utf8'))),
  }
}

const routed = { generationConfig: { routingConfig: { manualMode: { modelName: 'other' } } } }

describe('a steering field beside reasoning that must be rewritten for the same format', () => {
  it.each<readonly [string, Scene, object]>([
    ['openrouter', { ...chat, provider: 'openrouter' }, { models: ['other/model'] }],
    ['openrouter', { ...chat, provider: 'openrouter' }, { Provider: { order: ['other'] } }],
    ['openai-compatible', { ...chat, provider: 'openai-compatible' }, { models: ['other/model'] }],
    ['openai-compatible', { ...responses, provider: 'openai-compatible' }, { api_base: 'https://other' }],
    ['anthropic-compatible', { ...messages, provider: 'anthropic-compatible' }, { fallbacks: ['other'] }],
    ['anthropic', { ...messages, provider: 'anthropic' }, { fallbacks: ['other'] }],
    ['gemini', { ...gemini, provider: 'gemini' }, routed],
    ['openai-compatible', { ...embeddings, provider: 'openai-compatible' }, { api_base: 'https://other' }],
  ])('is refused by %s', async (_provider, scene, steering) => {
    const { status, text, sent } = await send(scene, steering)
    expect(sent).toEqual([])
    expect(status).toBe(400)
    expect(text).toContain('would steer the request past this gateway')
  })

  it('is sent if the channel allows it', async () => {
    const scene: Scene = { ...chat, provider: 'openrouter' }
    const { status, sent } = await send(scene, { models: ['other/model'] }, 'allow_fields: [models]')
    expect(status).toBe(200)
    expect(sent).toMatchObject([{ model: 'm', models: ['other/model'] }])
    expect(JSON.stringify(sent)).not.toContain(mark)
  })
})
