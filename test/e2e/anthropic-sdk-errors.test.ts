import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, it } from 'vitest'
import { type AgentFormat, agentFormats, answerStrictly } from '../support/agent/speech.ts'
import { collect } from '../support/collect.ts'
import { anthropicOf, openGateway, refusalOf } from '../support/open-gateway.ts'
import { type ScriptedAnswer, sseAnswer } from '../support/scripted-upstream.ts'
import { testKey } from '../support/start-gateway.ts'
import { upstreamError } from '../support/upstream-error.ts'

const messages = [{ role: 'user' as const, content: 'Hi' }]
const body = { model: 'm', max_tokens: 100, messages }

/** One attempt a request, so that what the client does is not mixed with what the gateway does. */
const oneAttempt = 'retry: { attempts: 1 }\n'
const requestId = expect.stringMatching(/^req_[0-9a-f-]+$/)

describe.each(agentFormats)('the Anthropic SDK on a channel of the %s format', (format) => {
  const openWith = (...answers: readonly ScriptedAnswer[]) =>
    openGateway({ format, scripts: [answers], more: oneAttempt })

  it.each([
    ['no model', { max_tokens: 9, messages }, 'model', 'missing_field'],
    ['no messages', { model: 'm', max_tokens: 9 }, 'messages', 'missing_field'],
    ['empty messages', { ...body, messages: [] }, 'messages', 'invalid_field'],
    ['a wrong type', { ...body, stream: 'yes' }, 'stream', 'invalid_field'],
  ])('%s: BadRequestError that names the wrong field', async (_case, sent, param, code) => {
    await using open = await openWith({})
    const refusal = await refusalOf(anthropicOf(open).post('/v1/messages', { body: sent }))
    expect(refusal).toBeInstanceOf(Anthropic.BadRequestError)
    expect(refusal).toMatchObject({ status: 400, type: 'invalid_request_error', requestID: requestId })
    expect(refusal).toMatchObject({ error: { type: 'error', error: { param, code }, request_id: requestId } })
    expect(open.upstreams[0]?.requests).toHaveLength(0)
  })

  it('a wrong key, a forbidden model, an unknown model and a body above the limit each raise their own class', async () => {
    await using open = await openGateway({
      format,
      scripts: [{}],
      models: ['closed'],
      more: `limits: { body: 64KB }\nkeys: [{ name: narrow, secret: ${testKey}, models: [m] }]\n`,
    })
    const client = anthropicOf(open)
    const ask = (more: object, asker = client) => refusalOf(asker.messages.create({ ...body, ...more }))
    const wrongKey = await ask({}, anthropicOf(open, { apiKey: 'sk-not-a-key-of-this-gateway' }))
    expect(wrongKey).toBeInstanceOf(Anthropic.AuthenticationError)
    expect(wrongKey).toMatchObject({ status: 401, type: 'authentication_error', requestID: requestId })
    const closed = await ask({ model: 'closed' })
    expect(closed).toBeInstanceOf(Anthropic.NotFoundError)
    expect(closed).toMatchObject({ status: 404, type: 'not_found_error' })
    const unknown = await ask({ model: 'nowhere' })
    expect(unknown).toBeInstanceOf(Anthropic.NotFoundError)
    expect(unknown).toMatchObject({ status: 404, type: 'not_found_error' })
    const large = await ask({ messages: [{ role: 'user', content: 'x'.repeat(70_000) }] })
    expect(large).toMatchObject({ status: 413, type: 'request_too_large', requestID: requestId })
    expect(open.upstreams[0]?.requests).toHaveLength(0)
  })

  it.each([
    [400, Anthropic.BadRequestError],
    [422, Anthropic.UnprocessableEntityError],
  ])('%i of the upstream is returned in its own words', async (status, errorClass) => {
    const words = { message: 'messages.0: is odd ✗', type: 'invalid_request_error' }
    await using open = await openWith(upstreamError(format, status, words))
    const refusal = await refusalOf(anthropicOf(open).messages.create(body))
    expect(refusal).toBeInstanceOf(errorClass)
    expect(refusal).toMatchObject({ status, type: 'invalid_request_error', requestID: requestId })
    expect(refusal).toMatchObject({ error: { type: 'error', error: { message: 'messages.0: is odd ✗' } } })
    expect(open.upstreams[0]?.requests).toHaveLength(1)
  })

  it('429: RateLimitError with the wait that the upstream states', async () => {
    await using open = await openWith(upstreamError(format, 429, { headers: { 'retry-after': '7' } }))
    const refusal = await refusalOf(anthropicOf(open).messages.create(body))
    expect(refusal).toBeInstanceOf(Anthropic.RateLimitError)
    expect(refusal).toMatchObject({ status: 429, type: 'rate_limit_error', requestID: requestId })
    expect(headersOf(refusal).get('retry-after')).toBe('7')
  })

  it.each([
    [503, 'server_error'],
    [529, 'overloaded_error'],
  ])('%i: OverloadedError', async (status, type) => {
    await using open = await openWith(upstreamError(format, status, { type }))
    const refusal = await refusalOf(anthropicOf(open).messages.create(body))
    expect(refusal).toBeInstanceOf(Anthropic.OverloadedError)
    expect(refusal).toMatchObject({ status: 529, type: 'overloaded_error' })
    expect(headersOf(refusal).get('retry-after')).toMatch(/^\d+$/)
  })

  it('500: InternalServerError', async () => {
    await using open = await openWith(upstreamError(format, 500))
    const refusal = await refusalOf(anthropicOf(open).messages.create(body))
    expect(refusal).toBeInstanceOf(Anthropic.InternalServerError)
    expect(refusal).toMatchObject({ status: 502, type: 'api_error', requestID: requestId })
  })

  it.each([
    [401, 'authentication_error', 502],
    [403, 'permission_error', 502],
    [404, 'not_found_error', 502],
    [402, 'billing_error', 503],
  ])(
    '%i concerns the gateway’s own account: it is reported as a gateway error, and the client does not retry',
    async (sent, type, status) => {
      await using open = await openWith(upstreamError(format, sent, { type }))
      const refusal = await refusalOf(anthropicOf(open, { maxRetries: 2 }).messages.create(body))
      expect(refusal).toMatchObject({ status, type: 'api_error' })
      expect(String(refusal)).not.toContain('Upstream words')
      expect(headersOf(refusal).get('x-should-retry')).toBe('false')
      expect(open.upstreams[0]?.requests).toHaveLength(1)
    },
  )

  it('a retry of the client overcomes a transient fault', async () => {
    await using open = await openGateway({
      format,
      more: oneAttempt,
      scripts: [
        (request, index) =>
          index === 0
            ? upstreamError(format, 529, { type: 'overloaded_error' })
            : answerStrictly(format, request, { text: 'Hello' }),
      ],
    })
    const message = await anthropicOf(open, { maxRetries: 1 }).messages.create(body)
    expect(message.content).toMatchObject([{ text: 'Hello' }])
  })

  it('a failing channel is skipped, whole and streamed', async () => {
    const good = (request: Parameters<typeof answerStrictly>[1]) =>
      answerStrictly(format, request, { text: 'From the second.' })
    await using open = await openGateway({
      format,
      more: 'retry: { same_target: 0 }\n',
      scripts: [[upstreamError(format, 500), sseAnswer([errorFrame(format)])], good],
    })
    const { data, response } = await anthropicOf(open).messages.create(body).withResponse()
    expect(data.content).toMatchObject([{ text: 'From the second.' }])
    expect(response.headers.get('x-headgate-channel')).toBe('channel-2')
    const streamed = await anthropicOf(open).messages.stream(body).finalMessage()
    expect(streamed.content).toMatchObject([{ text: 'From the second.' }])
  })

  it.each<[string, string, Partial<ScriptedAnswer>, string]>([
    ['an error event', 'error', {}, 'overloaded_error'],
    ['a reset', 'cut', { ending: 'reset' }, 'api_error'],
    ['an end too early', 'cut', { ending: 'end' }, 'api_error'],
  ])(
    '%s in the middle of a stream: APIError with its type, and no message_stop',
    async (_case, how, more, type) => {
      const chunks = [...halfAnswer(format), ...(how === 'error' ? [errorFrame(format)] : [])]
      await using open = await openWith({ ...sseAnswer(chunks), ...more })
      const stream = await anthropicOf(open).messages.create({ ...body, stream: true })
      const seen: Anthropic.MessageStreamEvent[] = []
      const reading = async () => {
        for await (const event of stream) seen.push(event)
      }
      const refusal = await refusalOf(reading())
      expect(refusal).toBeInstanceOf(Anthropic.APIError)
      expect(refusal).toMatchObject({ type })
      expect(seen.map((event) => event.type)).not.toContain('message_stop')
      expect(JSON.stringify(seen)).toContain('Half an')
    },
  )

  it('a caller who disconnects ends the upstream call at once', async () => {
    await using open = await openWith(sseAnswer(halfAnswer(format), 'hang'))
    const stream = await anthropicOf(open).messages.create({ ...body, stream: true })
    for await (const event of stream) if (event.type === 'content_block_delta') break
    const leftAtMs = performance.now()
    const request = await open.upstreams[0]?.request(0)
    await request?.closed
    expect((request?.abortedAtMs ?? Number.POSITIVE_INFINITY) - leftAtMs).toBeLessThan(500)
  })
})

it('a refusal with details that only the official client understands passes unchanged', async () => {
  const details = { error_code: 'thread_not_found', unsupported: ['thread'] }
  const error = { type: 'not_found_error', message: 'No such thread.', details }
  const answer = { status: 404, headers: { 'content-type': 'application/json' } }
  await using open = await openGateway({
    format: 'messages',
    more: oneAttempt,
    scripts: [{ ...answer, chunks: [JSON.stringify({ type: 'error', error })] }],
  })
  const sent = { ...body, thread: { type: 'continue', previous_message_id: 'msg_gone' } }
  const refusal = await refusalOf(anthropicOf(open).post('/v1/messages', { body: sent }))
  expect(refusal).toBeInstanceOf(Anthropic.NotFoundError)
  expect(refusal).toMatchObject({ error: { error } })
})

it('the client receives every event of a stream, even in a single chunk', async () => {
  await using open = await openGateway({
    format: 'messages',
    scripts: [
      async (request) => {
        const { chunks = [], ...answer } = answerStrictly('messages', request, { text: 'In one piece.' })
        return { ...answer, chunks: [chunks.join('')] }
      },
    ],
  })
  const events = await collect(await anthropicOf(open).messages.create({ ...body, stream: true }))
  expect(events.at(-1)?.type).toBe('message_stop')
})

function halfAnswer(format: AgentFormat): readonly string[] {
  const head = { id: 'x', model: 'm' }
  if (format === 'chat') {
    const choice = { index: 0, delta: { role: 'assistant', content: 'Half an' }, finish_reason: null }
    return [
      `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', created: 1, choices: [choice] })}\n\n`,
    ]
  }
  const usage = { input_tokens: 1, output_tokens: 1 }
  const message = { ...head, type: 'message', role: 'assistant', content: [], stop_reason: null, usage }
  return [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Half an' } },
  ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
}

function errorFrame(format: AgentFormat): string {
  const error = { type: 'overloaded_error', message: 'Overloaded' }
  return format === 'chat'
    ? `data: ${JSON.stringify({ error: { ...error, code: 'overloaded' } })}\n\n`
    : `event: error\ndata: ${JSON.stringify({ type: 'error', error })}\n\n`
}

function headersOf(refusal: unknown): Headers {
  if (refusal instanceof Anthropic.APIError && refusal.headers !== undefined) return refusal.headers
  throw new Error('the refusal has no headers')
}
