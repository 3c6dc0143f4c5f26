import { describe, expect, it } from 'vitest'
import { type RawAnswer, readAnswers } from '../security/raw-http/read-answers.ts'
import { talk } from '../security/raw-http/talk.ts'
import { ask, splitEvents } from '../support/ask.ts'
import { createGate } from '../support/gate.ts'
import { fieldsOf } from '../support/judged.ts'
import { type OpenGateway, openGateway } from '../support/open-gateway.ts'
import { sampleStreams } from '../support/sample-streams.ts'
import { jsonAnswer, type ScriptedAnswer, sseAnswer } from '../support/scripted-upstream.ts'
import { testKey } from '../support/start-gateway.ts'

/**
 * The expectations of Claude Code on a gateway, point by point (https://code.claude.com/docs/en/llm-gateway-protocol,
 * seen 2026-11-20), over a bare socket.
 */
interface Sent {
  readonly method?: string
  readonly path?: string
  /** Whole lines, in their order. */
  readonly lines?: readonly string[]
  readonly body?: string
}

const auth = `x-api-key: ${testKey}`

async function send(
  { gateway }: OpenGateway,
  { method = 'POST', path, lines = [auth], body }: Sent,
): Promise<RawAnswer> {
  const length =
    body === undefined ? [] : ['content-type: application/json', `content-length: ${Buffer.byteLength(body)}`]
  const target = path ?? '/v1/messages?beta=true'
  const head = [`${method} ${target} HTTP/1.1`, 'host: gateway', 'connection: close', ...lines, ...length]
  const bytes = Buffer.from(`${head.join('\r\n')}\r\n\r\n${body ?? ''}`, 'utf8').toString('latin1')
  const { text } = await talk(Number(new URL(gateway.url).port), bytes)
  const [answer] = readAnswers(text, method === 'HEAD')
  if (answer === undefined) throw new Error('no answer')
  return answer
}

const reply = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'Hi' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 1 },
}
const plain = '{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]}'
const onMessages = (answer: ScriptedAnswer | readonly ScriptedAnswer[] = jsonAnswer(reply), more = '') =>
  openGateway({ format: 'messages', scripts: [answer], more: `retry: { attempts: 1 }\n${more}` })
const chatReply = {
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
}

describe('1: version, betas and body pass together', () => {
  it('forwards anthropic-version and anthropic-beta byte for byte, unknown names included', async () => {
    await using open = await onMessages()
    const betas = 'claude-code-20250219,  of-2031-01-01 ;x=1'
    const answer = await send(open, {
      lines: [auth, 'anthropic-version: 2099-01-01', `anthropic-beta: ${betas}`],
      body: plain,
    })
    expect(answer.status).toBe(200)
    const { headers, path } = open.upstreams[0]?.requests[0] ?? {}
    expect(headers).toMatchObject({ 'anthropic-version': '2099-01-01', 'anthropic-beta': betas })
    expect(path).toBe('/v1/messages?beta=true')
  })

  it('keeps several lines of betas, all of them and in their order', async () => {
    await using open = await onMessages()
    await send(open, { lines: [auth, 'anthropic-beta: a-1,b-2', 'anthropic-beta: c-3'], body: plain })
    expect(open.upstreams[0]?.requests[0]?.headers['anthropic-beta']).toBe('a-1,b-2, c-3')
  })

  it('forwards unknown fields of the body', async () => {
    await using open = await onMessages()
    const body = plain.replace(
      '{"model"',
      '{"context_management":{"edits":[{"type":"new_2031"}]},  "speed" : "fast","model"',
    )
    expect((await send(open, { body })).status).toBe(200)
    expect(open.upstreams[0]?.requests[0]?.body.toString()).toBe(body)
  })
})

describe('2: the body passes unchanged', () => {
  it('keeps system, cache marks, thinking and their shapes, even the whitespace', async () => {
    await using open = await onMessages()
    const body = `{ "model":"m", "max_tokens":9,
  "system":[{"type":"text","text":"x-anthropic-billing-header: cc_version=2"},{"type":"text","text":"You are \\u0043laude.","cache_control":{"type":"ephemeral","ttl":"1h","scope":"global"}}],
  "thinking":{"type":"adaptive","display":"omitted"},
  "messages":[{"role":"user","content":[{"type":"text","text":"Hi","cache_control":{"type":"ephemeral"}}]},
    {"role":"assistant","content":[{"type":"thinking","thinking":"","signature":"EqQBCg=="},{"type":"redacted_thinking","data":"b64"},{"type":"text","text":"é"}]},
    {"role":"system","content":[{"type":"text","text":"mid","cache_control":{"type":"ephemeral"}}]},
    {"role":"user","content":"1e400 \\ud83d\\ude00"}], "metadata":{"user_id":"u"}}`
    expect((await send(open, { body })).status).toBe(200)
    expect(open.upstreams[0]?.requests[0]?.body.toString()).toBe(body)
  })
})

describe('3: errors of the upstream', () => {
  const words =
    '{"type":"error", "error":{"type":"invalid_request_error","message":"messages.1.content.0: capability_rejected: `thinking` is bound to a different conversation"},"request_id":"req_9"}'

  it.each([400, 413, 422])('with status %i are returned with their own status and bytes', async (status) => {
    const upstream = { status, headers: { 'content-type': 'application/json' }, chunks: [words] }
    await using open = await onMessages(upstream)
    const answer = await send(open, { body: plain })
    expect([answer.status, answer.body]).toEqual([status, words])
    expect(answer.headers['content-type']).toBe('application/json')
  })

  it('are distinguished from errors of the gateway itself by a code that no provider has', async () => {
    await using open = await onMessages()
    const ours = await send(open, { body: plain.replace('"m"', '"nope"') })
    expect(ours.status).toBe(404)
    expect(JSON.parse(ours.body)).toMatchObject({
      type: 'error',
      error: { type: 'not_found_error', code: 'model_not_found' },
      request_id: ours.headers['request-id'],
    })
    expect(open.upstreams[0]?.requests).toHaveLength(0)
  })
})

describe('4: streams', () => {
  const { frames, bytes } = sampleStreams.messages
  const body = plain.replace('}]}', '}],"stream":true}')

  it('pass unbuffered, pings included, as text/event-stream', async () => {
    const ping = 'event: ping\ndata: {"type": "ping"}\n\n'
    const [first = '', ...rest] = frames
    const [allButLast, last] = [[first, ping, ...rest.slice(0, -1)], rest.at(-1) ?? '']
    const gate = createGate()
    await using open = await onMessages(sseAnswer([...allButLast, gate.opened, last]))
    const before = allButLast.join('')
    const answer = await ask({ url: open.gateway.url, format: 'messages' }, JSON.parse(body), {
      // The upstream says no more until all of this has come.
      onBytes: (soFar) => soFar.toString() === before && gate.open(),
    })
    expect(answer.headers['content-type']).toMatch(/^text\/event-stream/)
    expect(answer.body.toString()).toBe(bytes.toString().replace(first, `${first}${ping}`))
  })

  it.each(['messages', 'chat'] as const)(
    'have pings of the gateway while a %s channel is silent',
    async (channel) => {
      const isPing = (event: string) => event.startsWith('event: ping\ndata: {"type"')
      const gate = createGate()
      await using open = await openGateway({
        format: channel,
        scripts: [sseAnswer([gate.opened, ...sampleStreams[channel].frames])],
        more: 'heartbeat: { after: 20ms, every: 20ms }\n',
      })
      const answer = await ask({ url: open.gateway.url, format: 'messages' }, JSON.parse(body), {
        onBytes: (soFar) => splitEvents(soFar.toString()).filter(isPing).length >= 2 && gate.open(),
      })
      const events = splitEvents(answer.body.toString())
      expect(events.slice(0, 2).every(isPing)).toBe(true)
      expect(events.at(-1)).toContain('message_stop')
    },
  )
})

describe('5: headers by which the client decides whether to retry', () => {
  const limits = {
    'anthropic-ratelimit-unified-status': 'rejected',
    'anthropic-ratelimit-unified-reset': '1793620800',
    'anthropic-ratelimit-unified-5h-utilization': '0.97',
  }
  const others = {
    'anthropic-organization-id': 'org-1',
    'anthropic-ratelimit-requests-limit': '50',
    'set-cookie': 'a=b',
    server: 'cloudflare',
  }

  it('are sent with an answer', async () => {
    const upstream = jsonAnswer(reply)
    await using open = await onMessages({
      ...upstream,
      headers: { ...upstream.headers, ...limits, ...others },
    })
    const { status, headers } = await send(open, { body: plain })
    expect(status).toBe(200)
    expect(headers).toMatchObject(limits)
    for (const name of Object.keys(others)) expect(headers).not.toHaveProperty([name])
  })

  it('are sent with a stream', async () => {
    const upstream = sseAnswer(sampleStreams.messages.frames)
    await using open = await onMessages({
      ...upstream,
      headers: { ...upstream.headers, ...limits, ...others },
    })
    const { headers } = await send(open, { body: plain.replace('}]}', '}],"stream":true}') })
    expect(headers).toMatchObject({ ...limits, 'content-type': 'text/event-stream; charset=utf-8' })
    for (const name of Object.keys(others)) expect(headers).not.toHaveProperty([name])
  })

  it.each([
    ['12.3', '13'],
    ['3600', '60'],
    [new Date(Date.now() + 3_600_000).toUTCString(), '60'],
    [new Date(Date.now() - 3_600_000).toUTCString(), '1'],
  ])('are sent with an error, the wait %j as whole seconds', async (wait, seconds) => {
    const body = { type: 'error', error: { type: 'rate_limit_error', message: 'Slow down' } }
    const headers = {
      'content-type': 'application/json',
      'retry-after': wait,
      'x-should-retry': 'true',
      ...limits,
      ...others,
    }
    // The answer has no date of its own, by which a date to wait for would be measured.
    await using open = await onMessages({
      status: 429,
      headers: { ...headers, date: '' },
      chunks: [JSON.stringify(body)],
    })
    const answer = await send(open, { body: plain })
    expect(answer.status).toBe(429)
    expect(answer.headers).toMatchObject({ ...limits, 'retry-after': seconds, 'x-should-retry': 'true' })
    for (const name of Object.keys(others)) expect(answer.headers).not.toHaveProperty([name])
  })

  it('do not override the gateway’s own knowledge: a fault of its credential is not retried', async () => {
    const body = { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } }
    const upstream = jsonAnswer(body, 401)
    await using open = await onMessages({
      ...upstream,
      headers: { ...upstream.headers, 'x-should-retry': 'true' },
    })
    const answer = await send(open, { body: plain })
    expect([answer.status, answer.headers['x-should-retry']]).toEqual([502, 'false'])
  })
})

describe('6: the paths beside messages', () => {
  it('count tokens with ?beta=true, with the same headers as for a message', async () => {
    await using open = await onMessages(jsonAnswer({ input_tokens: 17 }))
    const lines = [auth, 'anthropic-beta: token-counting-2024-11-01']
    const answer = await send(open, { path: '/v1/messages/count_tokens?beta=true', lines, body: plain })
    expect([answer.status, answer.body]).toEqual([200, '{"input_tokens":17}'])
    const { path, headers, body } = open.upstreams[0]?.requests[0] ?? {}
    expect([path, body?.toString()]).toEqual(['/v1/messages/count_tokens?beta=true', plain])
    expect(headers?.['anthropic-beta']).toBe('token-counting-2024-11-01')
  })

  it.each(['HEAD', 'GET'])('%s /api/hello answers 200 without a key', async (method) => {
    await using open = await onMessages()
    const answer = await send(open, { method, path: '/api/hello', lines: [] })
    expect(answer.status).toBe(200)
    expect(answer.body).toBe(method === 'HEAD' ? '' : '{"message":"hello"}')
  })
})

describe('7: the list of models', () => {
  const models = `models:\n  claude-x: { targets: [channel-1/m], display_name: Claude X, description: For hard things. }\n`

  it('is returned at once and without a redirect, with both credentials sent', async () => {
    await using open = await onMessages(jsonAnswer(reply), models)
    const startedAtMs = performance.now()
    const lines = [auth, `authorization: Bearer ${testKey}`, 'anthropic-version: 2023-06-01']
    const answer = await send(open, { method: 'GET', path: '/v1/models?limit=1000', lines })
    expect(performance.now() - startedAtMs).toBeLessThan(3_000)
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.body)).toMatchObject({
      data: [
        { id: 'claude-x', display_name: 'Claude X', description: 'For hard things.' },
        { id: 'm', display_name: 'm' },
      ],
      has_more: false,
    })
  })

  it('has all that the client reads without anthropic-version as well', async () => {
    await using open = await onMessages(jsonAnswer(reply), models)
    const answer = await send(open, { method: 'GET', path: '/v1/models?limit=1000' })
    expect(JSON.parse(answer.body)).toMatchObject({
      data: [{ id: 'claude-x', display_name: 'Claude X', description: 'For hard things.' }, { id: 'm' }],
    })
  })
})

describe('8: attribution', () => {
  const names = [
    'session-id',
    'agent-id',
    'parent-agent-id',
    'request-class',
    'agent-type',
    'compaction',
    'context-compacted',
    'prev-tool-durations',
  ].map((name) => `x-claude-code-${name}`)
  const lines = [
    auth,
    ...names.map((name, index) => `${name}: value ${index}`),
    'x-claude-code-secret-sauce: 1',
  ]

  it('is forwarded to a messages channel, each header unchanged', async () => {
    await using open = await onMessages()
    await send(open, { lines, body: plain })
    const { headers = {} } = open.upstreams[0]?.requests[0] ?? {}
    expect(names.map((name) => headers[name])).toEqual(names.map((_, index) => `value ${index}`))
    expect(headers).not.toHaveProperty('x-claude-code-secret-sauce')
  })

  it('is not forwarded to a chat channel', async () => {
    await using open = await openGateway({ format: 'chat', scripts: [jsonAnswer(chatReply)] })
    const answer = await send(open, { lines, body: plain })
    expect([answer.status, fieldsOf(JSON.parse(answer.body))['type']]).toEqual([200, 'message'])
    const sent = Object.keys(open.upstreams[0]?.requests[0]?.headers ?? {})
    expect(sent.filter((name) => /claude|anthropic/.test(name))).toEqual([])
  })
})

describe('HEAD', () => {
  it.each([
    ['/healthz', [], 200],
    ['/readyz', [], 200],
    ['/v1/models', [auth], 200],
    ['/v1/models/m', [auth], 200],
    ['/v1/models', [], 401],
    ['/v1/models/none', [auth], 404],
    ['/nowhere', [], 404],
    ['/v1/messages', [auth], 405],
  ])(
    '%s with %j returns %i as GET would, with its length and without its body',
    async (path, lines, status) => {
      await using open = await onMessages()
      const [head, get] = [
        await send(open, { method: 'HEAD', path, lines }),
        await send(open, { method: 'GET', path, lines }),
      ]
      expect([head.status, get.status, head.body]).toEqual([status, status, ''])
      expect(Number(head.headers['content-length'])).toBeGreaterThan(0)
      if (status === 200) expect(head.headers['content-length']).toBe(get.headers['content-length'])
      expect(head.headers['content-type']).toBe(get.headers['content-type'])
    },
  )
})
