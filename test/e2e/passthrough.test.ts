import { once } from 'node:events'
import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import OpenAI, { toFile } from 'openai'
import { describe, expect, it } from 'vitest'
import { createAskAdmin } from '../support/ask-admin.ts'
import { fieldsOf, listOf } from '../support/judged.ts'
import {
  jsonAnswer,
  openScriptedUpstream,
  type RecordedRequest,
  sseAnswer,
  type UpstreamHandler,
} from '../support/scripted-upstream.ts'
import { startGateway } from '../support/start-gateway.ts'
import { needsOneProcess, SHARES } from '../support/topology/needs.ts'

const key = 'sk-pass-0123456789abcdef'
const upstreamKey = 'sk-upstream-0123456789'

const rules = `
      - { path: /vector_stores/*, methods: [GET, DELETE], price: 0 }
      - { path: /vector_stores, price: 0.02 }
      - { path: /files, price: 0 }
      - { path: /chat/completions, methods: [POST], price: usage }
      - { path: "/models/*:generateContent", price: usage }
      - { path: /free/** }`

interface Plan {
  readonly script: UpstreamHandler
  /** Further terms of the key. */
  readonly keyMore?: string
  readonly channelMore?: string
  readonly more?: string
}

async function open({ script, keyMore = '', channelMore = '', more = '' }: Plan) {
  await using cleanup = new AsyncDisposableStack()
  const upstream = cleanup.use(await openScriptedUpstream(script))
  const gateway = cleanup.use(
    await startGateway(`keys:
  - { name: ci, secret: ${key}, passthrough: [direct], ${keyMore} }
  - { name: other, secret: sk-other-0123456789abcdef }
channels:
  - name: direct
    provider: openai
    base_url: "${upstream.origin}/v1"
    api_key: ${upstreamKey}
    allow_private: true
    models: { m: up-m }
    prices: { m: { input: 1, output: 2 } }
    passthrough:${rules}${channelMore}
${more}`),
  )
  const opened = cleanup.move()
  const admin = createAskAdmin(gateway.url)
  const ask = (path: string, init: RequestInit & { duplex?: 'half' } = {}, secret = key) =>
    fetch(`${gateway.url}/passthrough/direct${path}`, {
      ...init,
      headers: { authorization: `Bearer ${secret}`, ...init.headers },
    })
  return {
    gateway,
    upstream,
    ask,
    admin,
    /** The rows of the ledger, the oldest first, once there are so many. */
    async rows(count: number) {
      const read = async () =>
        listOf(fieldsOf((await admin('GET', '/ledger?limit=100')).body)['data']).map(fieldsOf)
      await expect.poll(async () => (await read()).length).toBe(count)
      return (await read()).toReversed()
    },
    async logged(count: number) {
      const read = async () =>
        listOf(fieldsOf((await admin('GET', '/requests?limit=100')).body)['data']).map(fieldsOf)
      await expect.poll(async () => (await read()).length).toBe(count)
      return (await read()).toReversed()
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

const echo: UpstreamHandler = ({ method, path, body }: RecordedRequest) =>
  jsonAnswer({ method, path, bytes: body.length }, 201)

describe('a pass-through', () => {
  it('calls the listed path with the credential of the channel, and returns the answer unchanged', async () => {
    await using opened = await open({ script: echo })
    const answer = await opened.ask('/vector_stores?limit=2', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'openai-beta': 'assistants=v2' },
      body: '{"name":"a"}',
    })
    expect([answer.status, await answer.json()]).toEqual([
      201,
      { method: 'POST', path: '/v1/vector_stores?limit=2', bytes: 12 },
    ])
    const [sent] = opened.upstream.requests
    expect(sent?.headers).toMatchObject({
      authorization: `Bearer ${upstreamKey}`,
      'content-type': 'application/json',
      'openai-beta': 'assistants=v2',
    })
    expect(answer.headers.get('x-headgate-channel')).toBe('direct')
    expect(answer.headers.get('x-headgate-cost')).toBe('0.02')
    expect(answer.headers.get('x-request-id')).toMatch(/^req/)
  })

  it('has a row in the request log and in the ledger, at the flat price of its path', async () => {
    await using opened = await open({ script: echo })
    await opened.ask('/vector_stores', { method: 'POST', body: 'x' })
    await opened.ask('/vector_stores/vs_1', { method: 'DELETE' })
    const rows = await opened.rows(2)
    // Rows stand in the order in which their processes wrote them.
    const shown = rows.map(({ model, channel, cost_usd, charged_usd }) => [
      model,
      channel,
      cost_usd,
      charged_usd,
    ])
    expect(shown.toSorted()).toEqual([
      ['passthrough:/vector_stores', 'direct', 0.02, 0.02],
      ['passthrough:/vector_stores/*', 'direct', 0, 0],
    ])
    const logged = await opened.logged(2)
    expect(logged.map(({ status, channel, model }) => [status, channel, model]).toSorted()).toEqual([
      [201, 'direct', 'passthrough:/vector_stores'],
      [201, 'direct', 'passthrough:/vector_stores/*'],
    ])
  })

  it.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])('accepts %s', async (method) => {
    await using opened = await open({ script: () => jsonAnswer({ ok: true }) })
    const hasBody = method !== 'GET' && method !== 'HEAD'
    const answer = await opened.ask('/free/a/b', { method, ...(hasBody && { body: 'x' }) })
    expect([answer.status, await answer.text()]).toEqual([200, method === 'HEAD' ? '' : '{"ok":true}'])
    const [sent] = opened.upstream.requests
    expect([sent?.method, sent?.path, sent?.body.toString()]).toEqual([
      method,
      '/v1/free/a/b',
      hasBody ? 'x' : '',
    ])
  })

  it('streams the request and the answer at once', async () => {
    const more = Promise.withResolvers<void>()
    await using opened = await open({
      script: () => ({
        headers: { 'content-type': 'text/plain' },
        chunks: ['first', more.promise, 'second'],
      }),
    })
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.alloc(300_000, 'a'))
        controller.close()
      },
    })
    const answer = await opened.ask('/free/stream', { method: 'POST', body: stream, duplex: 'half' })
    const reader = answer.body?.getReader()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('first')
    more.resolve()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('second')
    expect(opened.upstream.requests[0]?.body.length).toBe(300_000)
  })

  it('refuses a body above the limit of uploads, and does not blame the channel', async () => {
    await using opened = await open({ script: echo, more: 'limits: { upload: 1MB }' })
    const big = await opened.ask('/free/x', { method: 'POST', body: Buffer.alloc(1_100_000) })
    expect(big.status).toBe(413)
    const chunked = await opened
      .ask('/free/x', {
        method: 'POST',
        duplex: 'half',
        body: new ReadableStream({
          pull(controller) {
            controller.enqueue(Buffer.alloc(200_000))
          },
        }),
      })
      .then(
        (answer) => answer.status,
        () => 413,
      )
    expect(chunked).toBe(413)
    expect((await opened.ask('/vector_stores/a')).status).toBe(201)
  })

  it('serves an official SDK with its base address', async () => {
    await using opened = await open({
      script: ({ method, path }) =>
        jsonAnswer(
          path.includes('files')
            ? { id: 'file-1', object: 'file', bytes: 3 }
            : { id: 'vs_1', object: 'vector_store', deleted: method === 'DELETE' },
        ),
    })
    const client = new OpenAI({
      baseURL: `${opened.gateway.url}/passthrough/direct`,
      apiKey: key,
      maxRetries: 0,
    })
    expect((await client.vectorStores.create({ name: 'docs' })).id).toBe('vs_1')
    expect((await client.vectorStores.retrieve('vs_1')).id).toBe('vs_1')
    expect((await client.vectorStores.delete('vs_1')).deleted).toBe(true)
    const file = await client.files.create({
      file: await toFile(Buffer.from('abc'), 'a.txt'),
      purpose: 'assistants',
    })
    expect(file.id).toBe('file-1')
    expect(opened.upstream.requests[3]?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/)
  })

  it('is not retried, and returns the provider’s own error with its status', async () => {
    await using opened = await open({
      script: () => jsonAnswer({ error: { message: `no such thing for ${upstreamKey}` } }, 404),
    })
    const answer = await opened.ask('/vector_stores/none')
    expect([answer.status, await answer.json()]).toEqual([
      404,
      { error: { message: 'no such thing for [redacted]' } },
    ])
    expect(opened.upstream.requests.length).toBe(1)
    expect(await opened.rows(1)).toMatchObject([{ state: 'void', charged_usd: 0 }])
  })

  it('reports a refused credential of the channel in its own words', async () => {
    await using opened = await open({
      script: () => jsonAnswer({ error: { message: 'Incorrect key' } }, 401),
    })
    const answer = await opened.ask('/vector_stores/a')
    expect([answer.status, fieldsOf(fieldsOf(await answer.json())['error'])['code']]).toEqual([
      502,
      'upstream_credential',
    ])
  })

  it('opens the circuit breaker by failures, as any attempt does', async () => {
    needsOneProcess('a breaker adds up the failures of one process, and the others hear that it is open')
    await using opened = await open({
      script: () => jsonAnswer({ error: { message: 'broken' } }, 500),
      channelMore: '\n    breaker: { failures: 2, window: 10s }',
    })
    expect((await opened.ask('/free/a')).status).toBe(500)
    expect((await opened.ask('/free/a')).status).toBe(500)
    const refused = await opened.ask('/free/a')
    expect([refused.status, opened.upstream.requests.length]).toEqual([503, 2])
  })

  it('names the encoding of bytes that it does not decode, and no encoding of those that it decodes', async () => {
    const bytes = { zstd: zstdCompressSync('{"a":1}'), gzip: gzipSync('{"a":1}') }
    await using opened = await open({
      script: ({ path }) => {
        const coding = path.endsWith('zstd') ? 'zstd' : 'gzip'
        return { headers: { 'content-encoding': coding }, chunks: [bytes[coding]] }
      },
    })
    const read = async (path: string) => {
      const headers = { authorization: `Bearer ${key}` }
      const [answer] = await once(
        request(`${opened.gateway.url}/passthrough/direct${path}`, { headers }).end(),
        'response',
      )
      return [answer.headers['content-encoding'], await buffer(answer)]
    }
    expect(await read('/free/zstd')).toEqual(['zstd', bytes.zstd])
    expect(await read('/free/gzip')).toEqual([undefined, Buffer.from('{"a":1}')])
  })

  it.each([404, 500])(
    'does not show the bytes of an error that it cannot search for secrets: %i',
    async (status) => {
      const bytes = zstdCompressSync(`{"error":{"message":"${upstreamKey}"}}`)
      const headers = { 'content-type': 'application/json', 'content-encoding': 'zstd' }
      await using opened = await open({ script: () => ({ status, headers, chunks: [bytes] }) })
      const answer = await opened.ask('/free/zstd')
      expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/json'])
      expect(await answer.json()).toEqual({
        error: { message: expect.stringContaining('in an encoding'), code: 'upstream_error' },
      })
    },
  )

  it('truncates an answer that breaks off', async () => {
    const sent = Promise.withResolvers<void>()
    await using opened = await open({
      script: () => ({ chunks: ['some', sent.promise], ending: 'reset' }),
    })
    const answer = await opened.ask('/free/cut')
    const text = answer.text()
    sent.resolve()
    await expect(text).rejects.toThrow()
    await expect.poll(async () => (await opened.logged(1))[0]?.['error']).toBe('upstream_disconnected')
  })

  it.each(['reset', 'half-close'] as const)(
    'returns an error of the provider with its status if its text breaks off (%s)',
    async (ending) => {
      const sent = Promise.withResolvers<void>()
      await using opened = await open({
        script: () => ({ status: 404, chunks: ['no such thing', sent.promise], ending }),
      })
      const answer = opened.ask('/vector_stores/none')
      const { closed } = await opened.upstream.request(0)
      sent.resolve()
      await closed
      expect((await answer).status).toBe(404)
      expect(await opened.rows(1)).toMatchObject([{ state: 'void', charged_usd: 0 }])
      expect((await opened.logged(1))[0]?.['error']).toBeNull()
    },
  )

  it('ends the call if the caller disconnects', async () => {
    const never = new Promise(() => undefined)
    await using opened = await open({ script: () => ({ chunks: ['some', never] }) })
    const leaving = new AbortController()
    const answer = await opened.ask('/free/leave', { signal: leaving.signal })
    await answer.body?.getReader().read()
    leaving.abort()
    await opened.upstream.requests[0]?.closed
    expect(await opened.logged(1)).toMatchObject([{ error: 'client_closed_request' }])
  })

  it('applies backpressure while the caller does not read', async () => {
    const block = Buffer.alloc(1024 * 1024)
    let written = 0
    const blocks = Array.from({ length: 64 }, () => block)
    const chunks = Object.assign([...blocks], {
      *[Symbol.iterator]() {
        for (const one of blocks) {
          written += 1
          yield one
        }
      },
    })
    await using opened = await open({ script: () => ({ chunks }) })
    const answer = await opened.ask('/free/large')
    let before = -1
    const isStill = () => {
      const isSame = written === before && written > 0
      before = written
      return isSame
    }
    await expect.poll(isStill, { interval: 200 }).toBe(true)
    expect(written).toBeLessThan(64)
    let bytes = 0
    for await (const part of answer.body ?? []) bytes += part.length
    expect([bytes, written]).toEqual([64 * block.length, 64])
  })

  it('follows no redirect and returns none', async () => {
    await using opened = await open({
      script: () => ({ status: 302, headers: { location: 'http://127.0.0.1:1/secret' } }),
    })
    const answer = await opened.ask('/free/moved', { redirect: 'manual' })
    expect([answer.status, answer.headers.get('location')]).toEqual([502, null])
  })

  it.each([
    ['states its length', (body: string) => body],
    ['states no length', (body: string) => new Blob([body]).stream()],
  ])('uses the token limits by the size of a body that %s', async (_, write) => {
    needsOneProcess('the debt of a limit is the one of the process that was called')
    await using opened = await open({ script: echo, keyMore: 'rate: { input_tpm: 60 }' })
    const body = JSON.stringify({ model: 'up-m', messages: [{ role: 'user', content: 'x'.repeat(300) }] })
    const ask = () =>
      opened.ask('/chat/completions', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: write(body),
        duplex: 'half',
      })
    expect((await ask()).status).toBe(201)
    const refused = await ask()
    const code = fieldsOf(fieldsOf(await refused.json())['error'])['code']
    expect([refused.status, code]).toEqual([429, 'rate_limit_exceeded'])
  })

  it('is refused above the rate limits of the key', async () => {
    needsOneProcess(SHARES)
    await using opened = await open({ script: echo, keyMore: 'rate: { rpm: 1, burst: 1 }' })
    expect((await opened.ask('/free/a')).status).toBe(201)
    const refused = await opened.ask('/free/a')
    expect([refused.status, fieldsOf(fieldsOf(await refused.json())['error'])['code']]).toEqual([
      429,
      'rate_limit_exceeded',
    ])
  })

  it('is limited by the concurrency of the key', async () => {
    needsOneProcess(SHARES)
    const go = Promise.withResolvers<void>()
    await using opened = await open({
      script: async () => {
        await go.promise
        return jsonAnswer({})
      },
      keyMore: 'rate: { concurrency: 1 }',
    })
    const first = opened.ask('/free/a')
    await opened.upstream.request(0).catch(() => undefined)
    const second = await opened.ask('/free/a')
    expect([second.status, fieldsOf(fieldsOf(await second.json())['error'])['message']]).toEqual([
      429,
      expect.stringContaining('requests at one time'),
    ])
    go.resolve()
    expect((await first).status).toBe(200)
  })

  it('refuses an upgrade to WebSocket', async () => {
    await using opened = await open({ script: echo })
    const { request } = await import('node:http')
    const status = await new Promise<number | undefined>((resolve, reject) => {
      request(`${opened.gateway.url}/passthrough/direct/free/ws`, {
        headers: {
          authorization: `Bearer ${key}`,
          connection: 'upgrade',
          upgrade: 'websocket',
          'sec-websocket-key': Buffer.alloc(16).toString('base64'),
          'sec-websocket-version': '13',
        },
      })
        .on('response', ({ statusCode }) => resolve(statusCode))
        .on('error', reject)
        .end()
    })
    expect([status, opened.upstream.requests.length]).toEqual([400, 0])
  })
})

describe('the cost of a pass-through', () => {
  const dollar = 'budgets: [{ limit_usd: 0.05, window: month, mode: exact, at_limit: refuse }]'
  const usage = { prompt_tokens: 1_000, completion_tokens: 500, total_tokens: 1_500 }
  const chat = { id: 'c', object: 'chat.completion', model: 'up-m', choices: [], usage }
  const body = JSON.stringify({ model: 'up-m', messages: [] })
  const json = { 'content-type': 'application/json' }

  it('leads to a refusal if a limit in money applies and no price is known', async () => {
    await using opened = await open({ script: echo, keyMore: dollar })
    const refused = await opened.ask('/free/a')
    expect([refused.status, fieldsOf(fieldsOf(await refused.json())['error'])['code']]).toEqual([
      400,
      'passthrough_unpriced',
    ])
    expect(opened.upstream.requests.length).toBe(0)
  })

  it('uses up the budget to the nano-dollar at a flat price', async () => {
    await using opened = await open({ script: echo, keyMore: dollar })
    const statuses = await Promise.all(
      Array.from({ length: 6 }, async () => (await opened.ask('/vector_stores', { method: 'POST' })).status),
    )
    expect(statuses.toSorted()).toEqual([201, 201, 429, 429, 429, 429])
    expect((await opened.rows(2)).map(({ charged_usd }) => charged_usd)).toEqual([0.02, 0.02])
  })

  // 1,000 tokens at a dollar and 500 at two dollars for a million.
  it.each([
    ['a whole answer', () => jsonAnswer(chat)],
    [
      'a stream',
      () =>
        sseAnswer([
          `data: {"choices":[]}\n\n`,
          `data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`,
        ]),
    ],
  ] as const)('follows the usage that %s states', async (_, script) => {
    await using opened = await open({ script })
    const answer = await opened.ask('/chat/completions', { method: 'POST', body, headers: json })
    await answer.text()
    expect(await opened.rows(1)).toMatchObject([
      { model: 'm', upstream_model: 'up-m', cost_usd: 0.002, charged_usd: 0.002, state: 'settled' },
    ])
  })

  it('follows a usage that counts thoughts in the total alone, and is not what a budget holds', async () => {
    await using opened = await open({
      script: () => jsonAnswer({ ...chat, usage: { ...usage, completion_tokens: 100 } }),
      keyMore: 'budgets: [{ limit_usd: 100, window: month }]',
    })
    await opened.ask('/chat/completions', { method: 'POST', body, headers: json })
    expect(await opened.rows(1)).toMatchObject([{ charged_usd: 0.002, state: 'settled' }])
  })

  it('is computed from the usage of other providers, with the model from the path', async () => {
    await using opened = await open({
      script: () =>
        jsonAnswer({
          usageMetadata: { promptTokenCount: 1_000, candidatesTokenCount: 500, totalTokenCount: 1_500 },
        }),
    })
    const answer = await opened.ask('/models/up-m:generateContent', {
      method: 'POST',
      body: '{}',
      headers: json,
    })
    expect(answer.status).toBe(200)
    expect(await opened.rows(1)).toMatchObject([{ model: 'm', charged_usd: 0.002 }])
  })

  it('is never incurred for a model that the channel does not have or the key may not use', async () => {
    await using opened = await open({ script: echo, keyMore: 'models: [none]' })
    const answer = await opened.ask('/chat/completions', { method: 'POST', body, headers: json })
    expect([answer.status, opened.upstream.requests.length]).toEqual([404, 0])
  })

  it('reserves the whole window of the model if the price depends on usage, and charges it if no usage arrives', async () => {
    await using opened = await open({
      script: () => jsonAnswer({ ok: true }),
      keyMore: 'budgets: [{ limit_usd: 2, window: month }]',
    })
    const answer = await opened.ask('/chat/completions', { method: 'POST', body, headers: json })
    expect(answer.status).toBe(200)
    // A million tokens at a dollar, and 131,072 at two dollars for a million.
    expect(await opened.rows(1)).toMatchObject([{ charged_usd: 1.262144, state: 'estimated' }])
    const second = await opened.ask('/chat/completions', { method: 'POST', body, headers: json })
    expect(second.status).toBe(429)
  })

  it.each([
    ['/vector_stores', 0.02],
    ['/chat/completions', 1.262144],
  ])(
    'of %s is charged if the caller disconnects after its request and before the answer, since the provider may accept it',
    async (path, charged) => {
      await using opened = await open({
        script: () => ({ ending: 'silence' }),
        keyMore: 'budgets: [{ limit_usd: 2, window: month, mode: exact, at_limit: refuse }]',
      })
      const leaving = new AbortController()
      const { signal } = leaving
      const asked = opened.ask(path, { method: 'POST', body, headers: json, signal }).catch(() => 'left')
      await opened.upstream.request(0)
      leaving.abort()
      expect(await asked).toBe('left')
      expect(await opened.rows(1)).toMatchObject([{ charged_usd: charged, state: 'estimated' }])
    },
  )

  it('is not charged if the caller disconnects within its request', async () => {
    await using opened = await open({ script: echo, keyMore: dollar })
    const headers = { ...json, authorization: `Bearer ${key}`, 'content-length': '100' }
    const url = `${opened.gateway.url}/passthrough/direct/vector_stores`
    const sending = request(url, { method: 'POST', headers })
    sending.on('error', () => undefined)
    sending.write('{', () => sending.destroy())
    expect(await opened.rows(1)).toMatchObject([{ charged_usd: 0, state: 'void' }])
  })

  const started = {
    type: 'message_start',
    message: { usage: { input_tokens: 1_000, output_tokens: 1 } },
  }
  const ended = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 500 } }
  const soFar = { prompt_tokens: 1_000, completion_tokens: 1, total_tokens: 1_001 }
  const chunk = (finish: string | null) => [{ index: 0, delta: {}, finish_reason: finish }]
  const counts = (candidatesTokenCount: number) => ({
    promptTokenCount: 1_000,
    candidatesTokenCount,
    totalTokenCount: 1_000 + candidatesTokenCount,
  })

  it.each([
    ['of messages', [started], [ended]],
    ['of chat', [{ choices: chunk(null), usage: soFar }], [{ choices: chunk('stop'), usage }]],
    [
      'of Gemini',
      [{ candidates: [{ index: 0 }], usageMetadata: counts(1) }],
      [{ candidates: [{ index: 0, finishReason: 'STOP' }], usageMetadata: counts(500) }],
    ],
  ])(
    'follows the end of a stream %s, and charges the whole reserved amount if the end is missing',
    async (_format, first, last) => {
      let events: readonly object[] = [...first, ...last]
      await using opened = await open({
        script: () => sseAnswer(events.map((event) => `data: ${JSON.stringify(event)}\n\n`)),
        keyMore: 'budgets: [{ limit_usd: 2, window: month }]',
      })
      const ask = async () =>
        await (await opened.ask('/chat/completions', { method: 'POST', body, headers: json })).text()
      await ask()
      await opened.rows(1)
      events = first
      await ask()
      expect(await opened.rows(2)).toMatchObject([
        { charged_usd: 0.002, state: 'settled' },
        { charged_usd: 1.262144, state: 'estimated' },
      ])
    },
  )
})

it('the end of a pass-through lets a request use its slot that waited for the channel', async () => {
  needsOneProcess(SHARES)
  const gate = Promise.withResolvers<void>()
  const whole = {
    id: 'c1',
    object: 'chat.completion',
    created: 1,
    model: 'up-m',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }
  const script: UpstreamHandler = async (_request, index) => {
    if (index === 0) await gate.promise
    return jsonAnswer(whole)
  }
  const channelMore = '\n    concurrency: 1'
  await using opened = await open({ script, channelMore, more: 'queue: { wait: 3s }\n' })
  const passed = opened.ask('/files')
  await opened.upstream.request(0)
  const asked = fetch(`${opened.gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-other-0123456789abcdef', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] }),
  })
  const queued = async () => fieldsOf(fieldsOf((await opened.admin('GET', '/health')).body)['queue'])
  await expect.poll(async () => (await queued())['waiting']).toBe(1)
  gate.resolve()
  expect([(await passed).status, (await asked).status]).toEqual([200, 200])
})
