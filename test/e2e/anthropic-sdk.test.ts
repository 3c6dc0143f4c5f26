import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, it } from 'vitest'
import { agentFormats, answerStrictly } from '../support/agent/speech.ts'
import { collect } from '../support/collect.ts'
import { anthropicOf, openGateway, refusalOf } from '../support/open-gateway.ts'

const messages = [{ role: 'user' as const, content: 'Hi' }]
const body = { model: 'm', max_tokens: 100, messages }
const usage = { input_tokens: 7, cache_read_input_tokens: 4, output_tokens: 3 }

describe.each(agentFormats)('the Anthropic SDK on a channel of the %s format', (format) => {
  const openWith = (text: string, models: readonly string[] = []) =>
    openGateway({ format, models, scripts: [(request) => answerStrictly(format, request, { text })] })

  it('gets a whole message with its usage classes, request id and the channel that answered', async () => {
    await using open = await openWith('Hello ✓')
    const call = anthropicOf(open).messages.create(body)
    const { data, response } = await call.withResponse()
    expect(data).toMatchObject({ type: 'message', role: 'assistant', stop_reason: 'end_turn', usage })
    expect(data.content).toMatchObject([{ type: 'text', text: 'Hello ✓' }])
    expect((await call)._request_id).toMatch(/\S/)
    expect(response.headers.get('request-id')).toBe((await call)._request_id)
    expect(response.headers.get('x-request-id')).toBe((await call)._request_id)
    expect(response.headers.get('x-headgate-channel')).toBe('channel-1')
    expect(response.headers.get('x-headgate-model')).toBe('m')
  })

  it('streams all kinds of events in their order', async () => {
    await using open = await openWith('A longer answer that comes in pieces.')
    const stream = await anthropicOf(open).messages.create({ ...body, stream: true })
    const events = await collect(stream)
    const types = events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1])
    expect(types).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ])
    expect(events[0]).toMatchObject({ message: { role: 'assistant', content: [], stop_reason: null } })
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } })
    const texts = events.map((event) =>
      event.type === 'content_block_delta' && event.delta.type === 'text_delta' ? event.delta.text : '',
    )
    expect(texts.join('')).toBe('A longer answer that comes in pieces.')
  })

  it('folds a stream with its own helper to the same message as the whole answer', async () => {
    await using open = await openWith('Folded by the client.')
    const client = anthropicOf(open)
    const streamed = await client.messages.stream(body).finalMessage()
    const whole = await client.messages.create(body)
    expect(streamed.content).toEqual(whole.content)
    expect(streamed.stop_reason).toBe(whole.stop_reason)
    expect(streamed.usage).toMatchObject(usage)
  })

  it('gets the system text to the channel from any position', async () => {
    await using open = await openWith('Read.')
    await anthropicOf(open).messages.create({
      ...body,
      system: [{ type: 'text', text: 'Top of all.' }],
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'system', content: '# Environment: a test' },
        { role: 'assistant', content: 'Yes?' },
        { role: 'system', content: [{ type: 'text', text: 'Now in blocks.' }] },
        { role: 'user', content: 'Go on' },
      ],
    })
    const sent = String(open.upstreams[0]?.requests[0]?.body)
    for (const text of ['Top of all.', '# Environment: a test', 'Now in blocks.'])
      expect(sent).toContain(text)
    const roles = JSON.parse(sent).messages.map(({ role }: { role: string }) => role)
    const inner = ['user', 'system', 'assistant', 'system', 'user']
    expect(roles).toEqual(format === 'chat' ? ['system', ...inner] : inner)
  })

  it('lists models page by page and retrieves one', async () => {
    await using open = await openWith('', ['n', 'o', 'p', 'q'])
    const client = anthropicOf(open)
    const first = await client.models.list({ limit: 2 })
    expect(first).toMatchObject({ has_more: true, first_id: first.data[0]?.id, last_id: first.data[1]?.id })
    expect(first.data[0]).toMatchObject({ type: 'model', display_name: expect.any(String) })
    expect(Date.parse(String(first.data[0]?.created_at))).toBeGreaterThan(0)
    const listed = await collect(client.models.list({ limit: 2 }))
    expect(listed.map(({ id }) => id).sort()).toEqual(['m', 'n', 'o', 'p', 'q'])
    const rest = await client.models.list({ after_id: String(first.last_id), limit: 10 })
    expect(rest.data).toHaveLength(3)
    expect(rest.has_more).toBe(false)
    expect(await client.models.retrieve('q')).toMatchObject({ type: 'model', id: 'q' })
    const refusal = await refusalOf(client.models.retrieve('nowhere'))
    expect(refusal).toBeInstanceOf(Anthropic.NotFoundError)
    expect(refusal).toMatchObject({ type: 'not_found_error' })
  })

  it('accepts the key as a bearer token as well', async () => {
    await using open = await openWith('Hello')
    const { apiKey } = anthropicOf(open)
    const client = new Anthropic({
      baseURL: open.gateway.url,
      authToken: apiKey,
      apiKey: null,
      maxRetries: 0,
    })
    expect((await client.messages.create(body)).content).toHaveLength(1)
  })
})

describe('on a channel of the messages format', () => {
  const script = (request: Parameters<typeof answerStrictly>[1]) =>
    answerStrictly('messages', request, {
      text: 'Done.',
      usage: { freshInput: 5, cacheRead: 60, cacheWrite: 20, output: 9 },
    })
  const thinking = { type: 'enabled' as const, budget_tokens: 2_000 }
  const thoughtful = { ...body, max_tokens: 4_000, thinking }

  it.each([false, true])(
    'thinking and its signature pass unchanged in both directions, streamed: %s',
    async (isStream) => {
      await using open = await openGateway({ format: 'messages', scripts: [script] })
      const { messages: api } = anthropicOf(open)
      const first = isStream ? await api.stream(thoughtful).finalMessage() : await api.create(thoughtful)
      expect(first.content).toMatchObject([{ type: 'thinking' }, { type: 'text', text: 'Done.' }])
      // The upstream refuses a thought that is not byte for byte its own.
      const next = await api.create({
        ...thoughtful,
        messages: [
          ...messages,
          { role: 'assistant', content: first.content },
          { role: 'user', content: 'More' },
        ],
      })
      expect(next.content).toHaveLength(2)
      expect(next.usage).toMatchObject({
        input_tokens: 5,
        cache_read_input_tokens: 60,
        cache_creation_input_tokens: 20,
        output_tokens: 9,
      })
    },
  )

  it('the caller’s betas and version are forwarded unchanged, the key is not', async () => {
    await using open = await openGateway({ format: 'messages', scripts: [script] })
    const client = anthropicOf(open)
    await client.beta.messages.create({ ...body, betas: ['one-2026-01-01', 'two-2026-02-02'] })
    const headers = open.upstreams[0]?.requests[0]?.headers
    expect(headers?.['anthropic-beta']).toBe('one-2026-01-01,two-2026-02-02')
    expect(headers?.['anthropic-version']).toBe('2026-10-21')
    expect(JSON.stringify(headers)).not.toContain(client.apiKey)
  })
})

describe('on a channel of the chat format', () => {
  const script = (request: Parameters<typeof answerStrictly>[1]) =>
    answerStrictly('chat', request, { text: 'Done.' })
  const marked = {
    ...body,
    system: [{ type: 'text' as const, text: 'Be brief.', cache_control: { type: 'ephemeral' as const } }],
  }

  it('a header reports what the channel cannot express', async () => {
    await using open = await openGateway({ scripts: [script] })
    const client = anthropicOf(open)
    const lossy = await client.messages.create(marked).asResponse()
    expect(lossy.headers.get('x-headgate-loss')).toBe('cache-mark=dropped')
    const plain = await client.messages.create(body).asResponse()
    expect(plain.headers.get('x-headgate-loss')).toBeNull()
  })

  it('strict mode refuses such a request with the field, before calling the channel', async () => {
    await using open = await openGateway({ scripts: [script] })
    const strict = { headers: { 'x-headgate-strict': '1' } }
    const refusal = await refusalOf(anthropicOf(open).messages.create(marked, strict))
    expect(refusal).toBeInstanceOf(Anthropic.BadRequestError)
    expect(refusal).toMatchObject({ type: 'invalid_request_error' })
    expect(refusal).toMatchObject({ error: { error: { param: 'cache_control', code: 'cannot_be_carried' } } })
    expect(open.upstreams[0]?.requests).toHaveLength(0)
    expect((await anthropicOf(open).messages.create(body, strict)).content).toHaveLength(1)
  })
})
