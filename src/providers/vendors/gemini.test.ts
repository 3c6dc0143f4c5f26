import { expect, test } from 'vitest'
import { createChannel } from '../../../test/support/create-channel.ts'
import type { ChatRequest } from '../../canonical/request.ts'
import { writeRequest } from '../../wire/chat/request/write-request.ts'
import { geminiFormat } from '../../wire/gemini/format.ts'
import { authHeaders } from '../provider.ts'
import { pathOf } from '../registry.ts'
import { gemini } from './gemini.ts'

const channel = createChannel({ name: 'g', provider: 'gemini', format: 'gemini', models: 'listed' })
const compatible = { ...channel, format: 'chat' } as const

test('the key is sent in x-goog-api-key to the native API and as a bearer token to the compatible endpoint', () => {
  expect(authHeaders(gemini, channel, 'secret')).toEqual({ 'x-goog-api-key': 'secret' })
  expect(authHeaders(gemini, compatible, 'secret')).toEqual({ authorization: 'Bearer secret' })
})

test('the native API has the model in the path, and the compatible endpoint has its own path', () => {
  const place = { channel, upstreamModel: 'gemini-3-flash', isStream: true }
  expect(pathOf(gemini, geminiFormat, place)).toBe('/models/gemini-3-flash:streamGenerateContent?alt=sse')
  expect(pathOf(gemini, geminiFormat, { ...place, isStream: false })).toBe(
    '/models/gemini-3-flash:generateContent',
  )
  const chat = { id: 'chat', path: '/chat/completions' } as const
  expect(pathOf(gemini, chat, { ...place, channel: compatible })).toBe('/openai/chat/completions')
})

const request: ChatRequest = {
  model: 'public',
  turns: [{ role: 'user', name: 'ada', content: [{ type: 'text', text: 'Hi' }] }],
  stream: false,
  seed: 7,
  frequencyPenalty: 1,
  topK: 4,
  reasoning: { effort: 'max' },
}

test.each([
  ['gemini-2.5-flash', { reasoning_effort: 'high' }],
  ['gemini-2.0-flash', {}],
])('the compatible endpoint gets the fields that it supports for %s', (model, reasoning) => {
  const { value, losses } = writeRequest(request, { model, dialect: gemini.dialect(model, 'chat') })
  expect(JSON.parse(JSON.stringify(value))).toEqual({
    model,
    messages: [{ role: 'user', content: 'Hi' }],
    ...reasoning,
  })
  const features = losses.map(({ feature }) => feature)
  expect(features).toEqual(expect.arrayContaining(['seed', 'frequency-penalty', 'top-k', 'reasoning-effort']))
})
