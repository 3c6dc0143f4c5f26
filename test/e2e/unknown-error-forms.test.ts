import { expect, it } from 'vitest'
import { jsonAnswer, openScriptedUpstream } from '../support/scripted-upstream.ts'
import { startGateway, testKey } from '../support/start-gateway.ts'

const messages = [{ role: 'user', content: 'Hi' }]
const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }]

/** Every operation, at a channel that speaks its own format. */
const operations = [
  ['/v1/chat/completions', { model: 'of-chat', messages }],
  ['/v1/completions', { model: 'of-chat', prompt: 'Hi' }],
  ['/v1/embeddings', { model: 'of-chat', input: 'Hi' }],
  ['/v1/responses', { model: 'of-responses', input: 'Hi', store: false }],
  ['/v1/messages', { model: 'of-messages', max_tokens: 9, messages }],
  ['/v1beta/models/of-gemini:generateContent', { contents }],
] as const

const providers = {
  chat: 'openai-compatible',
  responses: 'openai',
  messages: 'anthropic',
  gemini: 'gemini',
}

it.each([
  ['FastAPI', { detail: 'Too many beans.' }],
  ['a number and words', { message: 'Too many beans.', code: 7 }],
  ['words alone', { error: 'Too many beans.' }],
  ['a list of problems', { detail: [{ loc: ['body', 'beans'], msg: 'Too many beans.', type: 'value' }] }],
])('an error in the form of %s reaches every caller in the caller’s format', async (_name, answer) => {
  await using upstream = await openScriptedUpstream({ ...jsonAnswer(answer), status: 400 })
  const channels = Object.entries(providers).map(
    ([format, provider]) =>
      `- { name: ${format}, provider: ${provider}, format: ${format}, base_url: "${upstream.origin}", allow_private: true, api_key: k, models: [of-${format}] }`,
  )
  await using gateway = await startGateway(`channels:\n${channels.join('\n')}\n`)
  for (const [path, body] of operations) {
    const response = await fetch(`${gateway.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const { error } = JSON.parse(await response.text())
    expect([path, response.status, error?.message]).toEqual([path, 400, 'Too many beans.'])
    const rest = path.startsWith('/v1beta')
      ? { code: 400, status: 'INVALID_ARGUMENT' }
      : { type: 'invalid_request_error', code: 'upstream_rejected' }
    expect(error).toMatchObject(rest)
  }
})
