import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { collect } from '../support/collect.ts'
import { openaiOf, openGateway, refusalOf } from '../support/open-gateway.ts'
import { jsonAnswer, type ScriptedAnswer } from '../support/scripted-upstream.ts'
import { testKey } from '../support/start-gateway.ts'

const messages = [{ role: 'user' as const, content: 'Hi' }]
const body = { model: 'm', messages }
const goodAnswer = jsonAnswer({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
})
const errorAnswer = (status: number, error: object = {}): ScriptedAnswer =>
  jsonAnswer(
    { error: { message: 'Upstream words.', type: 'some_error', param: null, code: null, ...error } },
    status,
  )

/** One attempt a request, so that what the client does is not mixed with what the gateway does. */
const oneAttempt = 'retry: { attempts: 1 }\n'
const openWith = (...answers: readonly ScriptedAnswer[]) =>
  openGateway({ scripts: [answers], more: oneAttempt })

describe('requests that the gateway refuses itself', () => {
  it.each([
    ['no model', { messages }, 'model', 'missing_field'],
    ['an empty model', { model: '', messages }, 'model', 'invalid_field'],
    ['no messages', { model: 'm' }, 'messages', 'missing_field'],
    ['empty messages', { model: 'm', messages: [] }, 'messages', 'invalid_field'],
    ['a wrong type', { ...body, stream: 'yes' }, 'stream', 'invalid_field'],
  ])('%s: BadRequestError that names the wrong field', async (_case, sent, param, code) => {
    await using open = await openWith(goodAnswer)
    const refusal = await refusalOf(openaiOf(open).post('/chat/completions', { body: sent }))
    expect(refusal).toBeInstanceOf(OpenAI.BadRequestError)
    expect(refusal).toMatchObject({ status: 400, param, code, type: 'invalid_request_error' })
    expect(refusal).toMatchObject({ requestID: expect.stringMatching(/\S/) })
    expect(open.upstreams[0]?.requests).toHaveLength(0)
  })

  it('a wrong key: AuthenticationError, as without a key', async () => {
    await using open = await openWith(goodAnswer)
    const wrong = await refusalOf(openaiOf(open, { apiKey: 'sk-not-a-key-of-this-gateway' }).models.list())
    expect(wrong).toBeInstanceOf(OpenAI.AuthenticationError)
    expect(wrong).toMatchObject({ status: 401, code: 'invalid_api_key' })
    const without = await fetch(`${open.gateway.url}/v1/models`)
    expect(without.status).toBe(401)
    expect(await without.json()).toMatchObject({ error: { code: 'missing_api_key', param: null } })
  })

  it('a forbidden model: NotFoundError with the message of an unknown model, and it is not listed', async () => {
    await using open = await openGateway({
      scripts: [goodAnswer],
      models: ['closed'],
      more: `keys: [{ name: narrow, secret: ${testKey}, models: [m] }]\n`,
    })
    const client = openaiOf(open)
    const refusal = await refusalOf(client.chat.completions.create({ model: 'closed', messages }))
    expect(refusal).toBeInstanceOf(OpenAI.NotFoundError)
    expect(refusal).toMatchObject({ status: 404, code: 'model_not_found', param: 'model' })
    const unknown = await refusalOf(client.chat.completions.create({ model: 'nowhere', messages }))
    expect(String(refusal).replace('closed', 'nowhere')).toBe(String(unknown))
    expect((await collect(client.models.list())).map(({ id }) => id)).toEqual(['m'])
  })

  it('an unknown model: NotFoundError', async () => {
    await using open = await openWith(goodAnswer)
    const refusal = await refusalOf(openaiOf(open).chat.completions.create({ model: 'nowhere', messages }))
    expect(refusal).toBeInstanceOf(OpenAI.NotFoundError)
    expect(refusal).toMatchObject({ status: 404, code: 'model_not_found', param: 'model' })
  })

  it('a body above the limit: 413', async () => {
    await using open = await openGateway({ scripts: [goodAnswer], more: 'limits: { body: 64KB }\n' })
    const long = [{ role: 'user' as const, content: 'x'.repeat(70_000) }]
    const refusal = await refusalOf(openaiOf(open).chat.completions.create({ model: 'm', messages: long }))
    expect(refusal).toBeInstanceOf(OpenAI.APIError)
    expect(refusal).toMatchObject({ status: 413, code: 'request_too_large' })
  })

  it.each([
    ['a text body', { headers: { 'content-type': 'text/plain' }, body: 'Hi' }],
    ['no content type', { headers: {}, body: Buffer.from('{}') }],
    [
      'a compressed body',
      { headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' }, body: '{}' },
    ],
  ])('%s: 415', async (_case, { headers, body: bytes }) => {
    await using open = await openWith(goodAnswer)
    const answer = await fetch(`${open.gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${testKey}`, ...headers },
      body: bytes,
    })
    expect(answer.status).toBe(415)
    expect(await answer.json()).toMatchObject({ error: { code: 'unsupported_media_type' } })
  })

  it('a wrong method: 405 with the allowed methods', async () => {
    await using open = await openWith(goodAnswer)
    const answer = await fetch(`${open.gateway.url}/v1/chat/completions`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${testKey}` },
    })
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('POST')
    expect(await answer.json()).toMatchObject({ error: { code: 'method_not_allowed' } })
  })
})

describe('requests that the upstream refuses', () => {
  it.each([
    [400, OpenAI.BadRequestError],
    [409, OpenAI.ConflictError],
    [422, OpenAI.UnprocessableEntityError],
  ])('%i: is returned word for word', async (status, errorClass) => {
    const error = {
      message: 'messages.0 is odd ✗',
      type: 'odd_type',
      param: 'messages.0',
      code: 'odd_code',
      more: [1],
    }
    await using open = await openWith(errorAnswer(status, error))
    const refusal = await refusalOf(openaiOf(open).chat.completions.create(body))
    expect(refusal).toBeInstanceOf(errorClass)
    expect(refusal).toMatchObject({ status, error, param: 'messages.0', code: 'odd_code', type: 'odd_type' })
    expect(refusal).toMatchObject({ requestID: expect.stringMatching(/\S/) })
    expect(open.upstreams[0]?.requests).toHaveLength(1)
  })

  it('429: RateLimitError with the wait that the upstream states', async () => {
    const limited = {
      ...errorAnswer(429),
      headers: { 'content-type': 'application/json', 'retry-after': '7' },
    }
    await using open = await openWith(limited)
    const refusal = await refusalOf(openaiOf(open).chat.completions.create(body))
    expect(refusal).toBeInstanceOf(OpenAI.RateLimitError)
    expect(refusal).toMatchObject({ status: 429, code: 'rate_limit_exceeded' })
    expect(headersOf(refusal).get('retry-after')).toBe('7')
  })

  it.each([
    [500, 502, 'upstream_error'],
    [502, 502, 'upstream_error'],
    [503, 503, 'upstream_overloaded'],
    [529, 503, 'upstream_overloaded'],
    [504, 504, 'upstream_timeout'],
  ])('%i: InternalServerError %i', async (sent, status, code) => {
    await using open = await openWith(errorAnswer(sent))
    const refusal = await refusalOf(openaiOf(open).chat.completions.create(body))
    expect(refusal).toBeInstanceOf(OpenAI.InternalServerError)
    expect(refusal).toMatchObject({ status, code })
  })

  it.each([
    ['401', errorAnswer(401, { code: 'invalid_api_key' }), 502, 'upstream_credential'],
    ['403', errorAnswer(403), 502, 'upstream_credential'],
    ['404', errorAnswer(404, { code: 'model_not_found' }), 502, 'upstream_model_missing'],
    ['402', errorAnswer(402), 503, 'upstream_quota'],
    ['429 out of credit', errorAnswer(429, { code: 'insufficient_quota' }), 503, 'upstream_quota'],
  ])(
    '%s concerns the gateway’s own account: it is reported as a gateway error, and the client does not retry',
    async (_case, answer, status, code) => {
      await using open = await openWith(answer)
      const refusal = await refusalOf(openaiOf(open, { maxRetries: 2 }).chat.completions.create(body))
      expect(refusal).toBeInstanceOf(OpenAI.InternalServerError)
      expect(refusal).toMatchObject({ status, code })
      expect(String(refusal)).not.toContain('Upstream words')
      expect(headersOf(refusal).get('x-should-retry')).toBe('false')
      expect(open.upstreams[0]?.requests).toHaveLength(1)
    },
  )

  it('a retry of the client overcomes a transient fault', async () => {
    const limited = {
      ...errorAnswer(429),
      headers: { 'content-type': 'application/json', 'retry-after': '1' },
    }
    await using open = await openWith(limited, goodAnswer)
    const completion = await openaiOf(open, { maxRetries: 1 }).chat.completions.create(body)
    expect(completion.choices[0]?.message.content).toBe('Hello')
    expect(open.upstreams[0]?.requests).toHaveLength(2)
  })

  it('a client that times out ends its upstream call', async () => {
    await using open = await openWith({ ending: 'silence' })
    const refusal = await refusalOf(openaiOf(open, { timeout: 300 }).chat.completions.create(body))
    expect(refusal).toBeInstanceOf(OpenAI.APIConnectionTimeoutError)
    const request = await open.upstreams[0]?.request(0)
    await request?.closed
    expect(request?.abortedAtMs).toBeGreaterThan(0)
  })

  it('the secret of the channel is hidden if an upstream repeats it', async () => {
    const echo = errorAnswer(400, { message: 'Bad key sk-upstream-0123456789abcdef in the header.' })
    await using open = await openWith(echo)
    const refusal = await refusalOf(openaiOf(open).chat.completions.create(body))
    expect(refusal).toBeInstanceOf(OpenAI.BadRequestError)
    expect(JSON.stringify(refusal) + String(refusal)).not.toContain('sk-upstream-0123456789abcdef')
  })
})

function headersOf(refusal: unknown): Headers {
  if (refusal instanceof OpenAI.APIError && refusal.headers !== undefined) return refusal.headers
  throw new Error('the refusal has no headers')
}
