import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, it } from 'vitest'
import { ask } from '../support/ask.ts'
import { createGate } from '../support/gate.ts'
import { openMediaGateway } from '../support/media/open-media-gateway.ts'
import { anthropicOf, openGateway, refusalOf } from '../support/open-gateway.ts'
import { htmlAnswer, jsonAnswer, type ScriptedAnswer } from '../support/scripted-upstream.ts'
import { testKey } from '../support/start-gateway.ts'
import { upstreamError } from '../support/upstream-error.ts'

const question: Anthropic.MessageCountTokensParams = {
  model: 'm',
  system: 'You are brief.',
  messages: [{ role: 'user', content: 'What is the capital of France?' }],
  tools: [{ name: 'look', input_schema: { type: 'object', properties: { city: { type: 'string' } } } }],
}
const text = (status: number, words: string): ScriptedAnswer => ({
  status,
  headers: { 'content-type': 'text/plain' },
  chunks: [words],
})
const estimated = 'token-count=approximated'

async function countOn(answer: ScriptedAnswer, format: 'chat' | 'messages' = 'messages', strict = false) {
  await using open = await openGateway({ format, scripts: [answer], more: 'retry: { same_target: 0 }\n' })
  const headers = strict ? { 'x-headgate-strict': '1' } : {}
  const { data, response } = await anthropicOf(open)
    .messages.countTokens(question, { headers })
    .withResponse()
  return {
    count: data.input_tokens,
    loss: response.headers.get('x-headgate-loss'),
    response,
    asked: open.upstreams[0]?.requests ?? [],
  }
}

describe('the Anthropic SDK counting tokens', () => {
  it('gets the channel’s own count, and the request is forwarded unchanged', async () => {
    const { count, loss, response, asked } = await countOn(
      jsonAnswer({ input_tokens: 417 }),
      'messages',
      true,
    )
    expect([count, loss]).toEqual([417, null])
    expect(response.headers.get('x-headgate-channel')).toBe('channel-1')
    expect(asked[0]?.path).toBe('/v1/messages/count_tokens')
    expect(JSON.parse(asked[0]?.body.toString() ?? '')).toEqual(question)
  })

  it('gets an estimate, marked as such, for a chat channel, which is not called', async () => {
    const { count, loss, response, asked } = await countOn(jsonAnswer({}), 'chat')
    expect(count).toBeGreaterThan(30)
    expect(count).toBeLessThan(300)
    expect([loss, response.headers.get('x-headgate-model')]).toEqual([estimated, 'm'])
    expect(asked).toHaveLength(0)
  })

  it.each([
    ['has no such path', upstreamError('messages', 404, { type: 'not_found_error' })],
    ['has no such path and says so in a text', text(404, '404 page not found')],
    ['has no such path and says so in a page', htmlAnswer(404)],
    ['takes no POST there', text(405, 'Method Not Allowed')],
    ['has not built it', upstreamError('messages', 501)],
    ['is overloaded', upstreamError('messages', 529, { type: 'overloaded_error' })],
    ['limits us', upstreamError('messages', 429, { type: 'rate_limit_error' })],
    ['does not know our key', upstreamError('messages', 401, { type: 'authentication_error' })],
    ['answers something else', jsonAnswer({ tokens: 3 })],
    ['counts less than nothing', jsonAnswer({ input_tokens: -5 })],
  ])('gets an estimate for a messages channel whose upstream %s', async (_what, answer) => {
    const { count, loss, asked } = await countOn(answer)
    expect(count).toBeGreaterThan(30)
    expect(loss).toBe(estimated)
    expect(asked).toHaveLength(1)
  })

  it('gets the count of the next channel before any estimate', async () => {
    const scripts = [upstreamError('messages', 500), jsonAnswer({ input_tokens: 5 })]
    await using open = await openGateway({ format: 'messages', scripts, more: 'retry: { same_target: 0 }\n' })
    expect(await anthropicOf(open).messages.countTokens(question)).toEqual({ input_tokens: 5 })
  })

  it('gets the upstream’s objection to the request, in its own words', async () => {
    const answer = upstreamError('messages', 400, {
      type: 'invalid_request_error',
      message: 'messages: roles must alternate',
    })
    const refusal = await refusalOf(countOn(answer))
    expect(refusal).toBeInstanceOf(Anthropic.BadRequestError)
    expect(String(refusal)).toContain('roles must alternate')
    expect(refusal).toMatchObject({ error: { request_id: 'req_upstream' } })
  })

  it('is refused an estimate in strict mode, before a chat channel is called and if the upstream cannot count', async () => {
    const refusal = await refusalOf(countOn(jsonAnswer({}), 'chat', true))
    expect(refusal).toBeInstanceOf(Anthropic.BadRequestError)
    expect(refusal).toMatchObject({ error: { error: { code: 'cannot_be_carried' } } })
    expect(await refusalOf(countOn(text(404, 'no'), 'messages', true))).toMatchObject({ status: 502 })
  })
})

describe('a count of tokens', () => {
  it.each([
    [{ model: 'm' }, 'missing_field', 'messages'],
    [{ model: 'm', messages: 'Hi' }, 'invalid_field', 'messages'],
    [{ messages: [] }, 'missing_field', 'model'],
    [{ model: 'none', messages: [{ role: 'user', content: 'Hi' }] }, 'model_not_found', 'model'],
  ])('of %j is refused on a chat channel: %s', async (body, code, param) => {
    await using open = await openGateway({ scripts: [jsonAnswer({})] })
    const answer = await ask({ url: open.gateway.url, format: 'count-tokens' }, body)
    expect(JSON.parse(answer.body.toString())).toMatchObject({ type: 'error', error: { code, param } })
  })

  it('needs no max_tokens, and is never a stream', async () => {
    await using open = await openGateway({ scripts: [jsonAnswer({})] })
    const body = { model: 'm', max_tokens: null, stream: true, messages: [{ role: 'user', content: 'Hi' }] }
    const answer = await ask({ url: open.gateway.url, format: 'count-tokens' }, body)
    expect(answer.headers['content-type']).toBe('application/json')
    expect(JSON.parse(answer.body.toString())).toEqual({ input_tokens: expect.any(Number) })
  })

  it('is cancelled when the caller disconnects', async () => {
    const gate = createGate()
    await using open = await openGateway({ format: 'messages', scripts: [{ chunks: [gate.opened] }] })
    const leaving = new AbortController()
    const url = `${open.gateway.url}/v1/messages/count_tokens`
    const headers = { 'x-api-key': testKey, 'content-type': 'application/json' }
    const left = refusalOf(
      fetch(url, { method: 'POST', headers, body: JSON.stringify(question), signal: leaving.signal }),
    )
    const call = await open.upstreams[0]?.request(0)
    leaving.abort()
    await left
    await call?.closed
    gate.open()
    expect(call?.abortedAtMs).toBeDefined()
  })

  it.each<['anthropic' | 'gemini' | 'openai', string, string, object]>([
    ['anthropic', 'claude-sonnet-4-5', '/v1/messages/count_tokens', { input_tokens: 417 }],
    ['gemini', 'gemini-2.5-flash', '/v1beta/models/m:countTokens', { totalTokens: 417 }],
    ['openai', 'gpt-5', '/v1/responses/input_tokens', { object: 'response.input_tokens', input_tokens: 417 }],
  ])(
    'by %s costs nothing, as with the provider, and goes on where the budget holds no answer',
    async (provider, model, path, count) => {
      const settings = `api_key: sk-upstream-0123456789${provider === 'openai' ? ', format: responses' : ''}`
      const limits = 'budgets: [{ limit_usd: 0.000001, window: month, mode: exact }]'
      await using open = await openMediaGateway(
        [{ provider, upstreamModel: model, script: jsonAnswer(count), settings }],
        `keys: [{ name: k, secret: ${testKey}, models: ["*"], ${limits} }]\n`,
      )
      const input = 'What is the capital of France?'
      const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }]
      const bodies = { anthropic: question, gemini: { contents }, openai: { model: 'm', input } }
      const answer = await open.post(path, bodies[provider])
      expect([answer.status, await answer.json()]).toEqual([200, count])
      expect(answer.headers.get('x-headgate-cost')).toBe('0')
      await expect
        .poll(open.lastRow, { timeout: 30_000 })
        .toMatchObject({ state: 'settled', cost_usd: 0, charged_usd: 0 })
    },
  )
})
