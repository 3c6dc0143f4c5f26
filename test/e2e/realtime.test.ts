import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import OpenAI from 'openai'
import { OpenAIRealtimeWS } from 'openai/realtime/ws'
import { describe, expect, it } from 'vitest'
import { createAskAdmin } from '../support/ask-admin.ts'
import { readCertificate, readIdentity } from '../support/certificate.ts'
import { fieldsOf, listOf } from '../support/judged.ts'
import {
  openRealtimeUpstream,
  providersSecret,
  providersSession,
  type RealtimeScript,
} from '../support/realtime-upstream.ts'
import { openSocket, refusedHandshake, type SocketOptions } from '../support/socket-client.ts'
import { startGateway } from '../support/start-gateway.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { limitOfShares, needsOneProcess, SHARES } from '../support/topology/needs.ts'

const key = 'sk-real-0123456789abcdef'
const upstreamKey = 'sk-upstream-0123456789'
const path = '/v1/realtime?model=voice'
/** US dollars for a million tokens. */
const price = 'input: 4, cached_input: 0.4, cached_audio: 0.4, input_audio: 32, output: 16, output_audio: 64'

interface Plan {
  readonly script?: RealtimeScript
  readonly keyMore?: string
  readonly more?: string
  readonly provider?: string
  readonly basePath?: string
  readonly folder?: string
}

async function open({
  script,
  keyMore = '',
  more = '',
  provider = 'openai',
  basePath = '/v1',
  folder,
}: Plan = {}) {
  await using cleanup = new AsyncDisposableStack()
  const upstream = cleanup.use(await openRealtimeUpstream(script))
  const gateway = cleanup.use(
    await startGateway(
      `keys:
  - { name: ci, secret: ${key}, ${keyMore} }
  - { name: text, secret: sk-text-0123456789abcdef, models: [other] }
channels:
  - name: voices
    provider: ${provider}
    base_url: "${upstream.origin}${basePath}"
    api_key: ${upstreamKey}
    allow_private: true
    models: { voice: gpt-realtime-x, other: other-x }
    prices: { voice: { ${price} } }
models: { voice: { max_output_tokens: 1000, context_window: 4000 } }
${more}`,
      folder,
    ),
  )
  const opened = cleanup.move()
  const admin = createAskAdmin(gateway.url)
  return {
    gateway,
    upstream,
    admin,
    connect: (options: SocketOptions = {}) => openSocket(gateway.url, { key, path, ...options }),
    refused: (options: SocketOptions = {}) => refusedHandshake(gateway.url, { key, path, ...options }),
    async rows(count: number) {
      const read = async () =>
        listOf(fieldsOf((await admin('GET', '/ledger?limit=100')).body)['data']).map(fieldsOf)
      await expect.poll(async () => (await read()).filter(({ state }) => state !== 'void').length).toBe(count)
      return (await read()).filter(({ state }) => state !== 'void').toReversed()
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

const codeOf = (body: unknown) => fieldsOf(fieldsOf(body)['error'])['code']

describe('a realtime session', () => {
  it('opens at the provider with the credential of the channel, under the model name that the caller uses', async () => {
    await using opened = await open()
    await using client = await opened.connect()
    const created = await client.next('session.created')
    expect(created).toMatchObject({
      session: { model: 'voice', audio: { input: { turn_detection: { create_response: true } } } },
    })
    const { request, events } = await opened.upstream.session(0)
    expect([request.url, request.headers.authorization]).toEqual([
      '/v1/realtime?model=gpt-realtime-x',
      `Bearer ${upstreamKey}`,
    ])
    expect(events).toMatchObject([
      {
        type: 'session.update',
        session: { audio: { input: { turn_detection: { create_response: false } } } },
      },
    ])
    expect(JSON.stringify(client.events)).not.toContain('gpt-realtime-x')
  })

  it.each([
    ['azure-openai', '', '/openai/v1/realtime?model=gpt-realtime-x', 'api-key'],
    ['openai-compatible', '/v1', '/v1/realtime?model=gpt-realtime-x', 'authorization'],
  ])('opens at %s', async (provider, basePath, asked, header) => {
    await using opened = await open({ provider, basePath })
    await using client = await opened.connect()
    await client.next('session.created')
    const { request } = await opened.upstream.session(0)
    expect([request.url, String(request.headers[header]).replace('Bearer ', '')]).toEqual([
      asked,
      upstreamKey,
    ])
  })

  it('writes a row for each response, with its usage classes', async () => {
    await using opened = await open()
    await using client = await opened.connect()
    for (const count of [1, 2]) {
      client.send({ type: 'response.create', event_id: `mine_${count}` })
      await expect.poll(() => client.events.filter(({ type }) => type === 'response.done').length).toBe(count)
    }
    // Fresh: 90 of text and 60 of sound; cached: 50; out: 40 of text and 60 of sound.
    const dollars = (90 * 4 + 60 * 32 + 50 * 0.4 + 40 * 16 + 60 * 64) / 1e6
    const rows = await opened.rows(2)
    expect(
      rows.map(({ model, channel, cost_usd, charged_usd, state }) => [
        model,
        channel,
        cost_usd,
        charged_usd,
        state,
      ]),
    ).toEqual([
      ['voice', 'voices', dollars, dollars, 'settled'],
      ['voice', 'voices', dollars, dollars, 'settled'],
    ])
    const logged = async () =>
      listOf(fieldsOf((await opened.admin('GET', '/requests?limit=10')).body)['data'])
        .map(fieldsOf)
        .map(({ status, model, error }) => [status, model, error])
    await expect.poll(logged).toEqual([
      [101, 'voice', null],
      [101, 'voice', null],
    ])
    expect(client.events.some(({ type }) => type === 'rate_limits.updated')).toBe(false)
  })

  it('requests a response to a turn that the provider detects, unless the caller turns that off', async () => {
    await using opened = await open()
    await using client = await opened.connect()
    await client.next('session.created')
    const provider = await opened.upstream.session(0)
    provider.send({ type: 'input_audio_buffer.speech_stopped', item_id: 'item_1' })
    provider.send({ type: 'input_audio_buffer.committed', item_id: 'item_1' })
    await provider.next('response.create')
    await client.next('response.done')
    client.send({
      type: 'session.update',
      session: {
        type: 'realtime',
        audio: { input: { turn_detection: { type: 'semantic_vad', create_response: false } } },
      },
    })
    const updated = await client.next('session.updated')
    expect(updated).toMatchObject({
      session: { audio: { input: { turn_detection: { type: 'semantic_vad', create_response: false } } } },
    })
    provider.send({ type: 'input_audio_buffer.speech_stopped', item_id: 'item_2' })
    provider.send({ type: 'input_audio_buffer.committed', item_id: 'item_2' })
    client.send({ type: 'input_audio_buffer.clear' })
    await provider.next('input_audio_buffer.clear')
    expect(provider.events.filter(({ type }) => type === 'response.create').length).toBe(1)
  })

  it('keeps the caller’s event ids, and refuses unknown events', async () => {
    await using opened = await open({ script: { isManual: true } })
    await using client = await opened.connect()
    client.send({ type: 'response.create', event_id: 'mine' })
    const provider = await opened.upstream.session(0)
    const create = await provider.next('response.create')
    provider.send({
      type: 'error',
      error: { type: 'invalid_request_error', message: 'no', event_id: create['event_id'] },
    })
    expect(await client.next('error')).toMatchObject({ error: { message: 'no', event_id: 'mine' } })
    client.send({ type: 'transcription_session.update', event_id: 'other' })
    await expect.poll(() => client.events.filter(({ type }) => type === 'error').length).toBe(2)
    expect(client.events.findLast(({ type }) => type === 'error')).toMatchObject({
      error: { code: 'invalid_field', param: 'type', event_id: 'other' },
    })
    client.send({ type: 'session.update', session: { type: 'realtime', model: 'gpt-other' } })
    await expect.poll(() => client.events.filter(({ type }) => type === 'error').length).toBe(3)
    expect(provider.events.filter(({ type }) => type === 'session.update').length).toBe(1)
  })

  it('has an id of the gateway, also in error messages, and no secret of the provider', async () => {
    await using opened = await open({ script: { isManual: true } })
    await using client = await opened.connect()
    const { session } = await client.next('session.created')
    expect(fieldsOf(session)['id']).toMatch(/^sess_[0-9a-f-]{36}$/)
    const provider = await opened.upstream.session(0)
    const message = `The server had an error. Name the session: ${providersSession}.`
    provider.send({ type: 'error', error: { type: 'server_error', message } })
    const { error } = await client.next('error')
    expect(fieldsOf(error)['message']).toContain(String(fieldsOf(session)['id']))
    client.send({ type: 'session.update', session: { type: 'realtime', instructions: 'Be brief.' } })
    await client.next('session.updated')
    const shown = JSON.stringify(client.events)
    for (const hidden of [providersSession, providersSecret]) expect(shown).not.toContain(hidden)
  })

  it('ends with an error if the provider breaks off', async () => {
    await using opened = await open({ script: { isManual: true } })
    await using client = await opened.connect()
    client.send({ type: 'response.create' })
    const provider = await opened.upstream.session(0)
    await provider.next('response.create')
    provider.socket.terminate()
    expect(await client.next('error')).toMatchObject({ error: { code: 'upstream_disconnected' } })
    expect((await client.closed)[0]).toBe(1011)
    expect(await opened.rows(1)).toMatchObject([{ state: 'estimated' }])
  })

  it('cancels the response at the provider if the caller disconnects, and bills its usage', async () => {
    await using opened = await open({ script: { isManual: true } })
    const client = await opened.connect()
    client.send({ type: 'response.create' })
    const provider = await opened.upstream.session(0)
    await provider.next('response.create')
    provider.send({ type: 'response.created', response: { id: 'resp_1' } })
    await client.next('response.created')
    client.socket.terminate()
    await provider.next('response.cancel')
    const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 }
    provider.send({ type: 'response.done', response: { id: 'resp_1', status: 'cancelled', usage } })
    await provider.closed
    // 10 at 4 dollars and 5 at 16 dollars for a million.
    expect(await opened.rows(1)).toMatchObject([{ state: 'settled', charged_usd: 0.00012 }])
  })

  it('frees its slot when it is over', async () => {
    needsOneProcess(SHARES)
    await using opened = await open({ keyMore: 'rate: { concurrency: 1 }' })
    const first = await opened.connect()
    await first.next('session.created')
    expect((await opened.refused()).status).toBe(429)
    first.socket.close()
    await first.closed
    await expect
      .poll(async () => {
        try {
          const second = await opened.connect()
          second.socket.close()
          return 'open'
        } catch {
          return 'refused'
        }
      })
      .toBe('open')
  })

  it('applies backpressure to the provider while the caller does not read', async () => {
    await using opened = await open({ script: { isManual: true } })
    await using client = await opened.connect()
    await client.next('session.created')
    const provider = await opened.upstream.session(0)
    client.socket.pause()
    const delta = 'a'.repeat(256 * 1024)
    const isHeldBack = () => {
      provider.send({ type: 'response.output_audio.delta', response_id: 'none', delta })
      return provider.socket.bufferedAmount > 4 * 1024 * 1024
    }
    await expect.poll(isHeldBack, { interval: 1, timeout: 15_000 }).toBe(true)
    const sent = provider.socket.bufferedAmount
    client.socket.resume()
    await expect.poll(() => provider.socket.bufferedAmount).toBe(0)
    expect(sent).toBeGreaterThan(0)
  })

  it('shows nothing of the session of another key', async () => {
    await using opened = await open({ keyMore: 'models: [voice]' })
    await using first = await opened.connect()
    await using second = await opened.connect({
      key: 'sk-text-0123456789abcdef',
      path: '/v1/realtime?model=other',
    })
    await first.next('session.created')
    await second.next('session.created')
    const providers = [await opened.upstream.session(0), await opened.upstream.session(1)]
    const ofFirst = providers.find(({ request }) => request.url?.includes('gpt-realtime-x'))
    for (let turn = 0; turn < 50; turn += 1)
      ofFirst?.send({ type: 'response.output_text.delta', response_id: 'r', delta: `canary ${turn}` })
    await expect.poll(() => first.events.filter(({ delta }) => delta !== undefined).length).toBe(50)
    second.send({ type: 'response.create' })
    await second.next('response.done')
    expect(JSON.stringify(second.events)).not.toContain('canary')
  })

  it('continues while the gateway drains, and ends with close code 1001', async () => {
    await using opened = await open()
    const client = await opened.connect()
    await client.next('session.created')
    const closing = opened.gateway.close(300)
    client.send({ type: 'response.create' })
    await client.next('response.done')
    expect(await client.next('error')).toMatchObject({ error: { code: 'shutting_down' } })
    expect((await client.closed)[0]).toBe(1001)
    await closing
  })
})

describe('a caller is refused before its connection becomes a WebSocket:', () => {
  it.each<[string, SocketOptions, number, string]>([
    ['no key', { key: '' }, 401, 'missing_api_key'],
    ['an unknown key', { key: 'sk-unknown-0123456789' }, 401, 'invalid_api_key'],
    ['a model that the key may not use', { key: 'sk-text-0123456789abcdef' }, 404, 'model_not_found'],
    ['no model', { path: '/v1/realtime' }, 400, 'missing_field'],
    ['the beta form', { headers: { 'openai-beta': 'realtime=v1' } }, 400, 'invalid_field'],
    ['a call', { path: '/v1/realtime?call_id=rtc_1' }, 400, 'operation_not_supported'],
  ])('%s', async (_, options, status, code) => {
    await using opened = await open()
    const refused = await opened.refused(options)
    expect([refused.status, codeOf(refused.body), opened.upstream.sessions.length]).toEqual([status, code, 0])
  })

  it('no channel of the model supports sessions', async () => {
    await using opened = await open({ provider: 'groq' })
    const refused = await opened.refused()
    expect([refused.status, codeOf(refused.body)]).toEqual([400, 'operation_not_supported'])
  })

  it('the provider refuses', async () => {
    await using opened = await open({ script: { refuses: 401 } })
    const refused = await opened.refused()
    expect([refused.status, codeOf(refused.body)]).toEqual([502, 'upstream_credential'])
  })

  it('the gateway does not support WebRTC', async () => {
    await using opened = await open()
    const answer = await fetch(`${opened.gateway.url}/v1/realtime/calls`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/sdp' },
      body: 'v=0',
    })
    const body = await answer.json()
    expect([answer.status, String(fieldsOf(fieldsOf(body)['error'])['message'])]).toEqual([
      404,
      expect.stringContaining('WebRTC'),
    ])
    expect((await fetch(`${opened.gateway.url}/v1/realtime?model=voice`)).status).toBe(426)
  })
})

describe('the budget of a session', () => {
  // A response reads 1,024 tokens at least, and 600 of sound that may come; it writes 1,000: 0.116 dollars.
  const exact = (dollars: number) =>
    `budgets: [{ limit_usd: ${dollars}, window: month, mode: exact, at_limit: refuse }]`

  it('is reserved before the connection becomes a WebSocket', async () => {
    await using opened = await open({ keyMore: exact(0.01) })
    const refused = await opened.refused()
    expect([refused.status, codeOf(refused.body), opened.upstream.sessions.length]).toEqual([
      429,
      'insufficient_quota',
      0,
    ])
  })

  it('ends the session before a response that no longer fits, and never overspends', async () => {
    const usage = {
      input_tokens: 500,
      output_tokens: 1_000,
      total_tokens: 1_500,
      output_token_details: { audio_tokens: 1_000 },
    }
    await using opened = await open({ script: { usage }, keyMore: exact(1) })
    await using client = await opened.connect()
    const ended = client.closed
    for (let turn = 0; turn < 40 && client.socket.readyState === client.socket.OPEN; turn += 1) {
      const before = client.events.length
      client.send({ type: 'response.create' })
      await Promise.race([client.next('response.done', before), ended])
      await expect.poll(() => client.events.length).toBeGreaterThan(before)
    }
    expect(await client.next('error')).toMatchObject({ error: { code: 'insufficient_quota' } })
    expect((await ended)[0]).toBe(1008)
    const rows = (await opened.rows(client.events.filter(({ type }) => type === 'response.done').length)).map(
      ({ charged_usd }) => Math.round(Number(charged_usd) * 1e9),
    )
    // 500 at 4 dollars and 1,000 at 64 dollars for a million.
    expect(new Set(rows)).toEqual(new Set([66_000_000]))
    expect(rows.reduce((sum, amount) => sum + amount, 0)).toBeLessThanOrEqual(1e9)
    expect(rows.length).toBeGreaterThan(5)
  })

  it('limits the output of each response, at the caller’s own limit if that is lower', async () => {
    await using opened = await open({ keyMore: exact(1) })
    await using client = await opened.connect()
    client.send({ type: 'response.create' })
    client.send({ type: 'response.create', response: { max_output_tokens: 64 } })
    const provider = await opened.upstream.session(0)
    const [first, second] = [
      await provider.next('response.create'),
      await provider.next('response.create', 1),
    ]
    expect([
      fieldsOf(first['response'])['max_output_tokens'],
      fieldsOf(second['response'])['max_output_tokens'],
    ]).toEqual([1_000, 64])
  })

  it('excludes a transcript of the input, which no reservation covers', async () => {
    await using opened = await open({ keyMore: exact(1) })
    await using client = await opened.connect()
    client.send({
      type: 'session.update',
      session: { type: 'realtime', audio: { input: { transcription: { model: 'gpt-4o-transcribe' } } } },
    })
    expect(await client.next('error')).toMatchObject({ error: { code: 'field_not_allowed' } })
  })

  it('takes an estimate of the output from the token limits where the provider states no usage', async () => {
    needsOneProcess('the debt of a limit is the one of the process that has the session')
    const script = { usage: { total_tokens: 0, input_tokens: 0, output_tokens: 0 } }
    await using opened = await open({ keyMore: 'rate: { output_tpm: 1 }', script })
    await using client = await opened.connect()
    client.send({ type: 'response.create' })
    await client.next('response.done')
    const answer = await fetch(`${opened.gateway.url}/v1/key`, {
      headers: { authorization: `Bearer ${key}` },
    })
    expect(await answer.json()).toMatchObject({ data: { rate_limits: [{ remaining: 0 }] } })
  })

  it('applies the rate limits to each response', async () => {
    const limit = limitOfShares(2)
    await using opened = await open({ keyMore: `rate: { rpm: ${limit}, burst: ${limit} }` })
    await using client = await opened.connect()
    const ask = (event_id: string) => {
      const from = client.events.length
      client.send({ type: 'response.create', event_id })
      return Promise.race([client.next('response.done', from), client.next('error', from)])
    }
    expect(await ask('first')).toMatchObject({ type: 'response.done' })
    // A process grants its share, or the whole limit while it has not heard of the others.
    let last = await ask('later')
    for (let asked = 2; asked < limit && last.type !== 'error'; asked += 1) last = await ask('later')
    expect(last).toMatchObject({ type: 'error', error: { code: 'rate_limit_exceeded', event_id: 'later' } })
    expect(client.socket.readyState).toBe(client.socket.OPEN)
  })
})

describe('a client secret', () => {
  const make = (url: string, body: object, secret = key) =>
    fetch(`${url}/v1/realtime/client_secrets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })

  it('opens sessions in the name of its key, with the headers of a browser, and is not repeated', async () => {
    await using opened = await open()
    const client = new OpenAI({ baseURL: `${opened.gateway.url}/v1`, apiKey: key, maxRetries: 0 })
    const { value, expires_at } = await client.realtime.clientSecrets.create({
      expires_after: { anchor: 'created_at', seconds: 60 },
      session: { type: 'realtime', model: 'voice', instructions: 'Be brief.' },
    })
    expect([value.startsWith('ek-hg-'), expires_at * 1_000 > Date.now()]).toEqual([true, true])
    await using socket = await opened.connect({
      key: '',
      path: '/v1/realtime',
      protocols: ['realtime', `openai-insecure-api-key.${value}`],
    })
    expect(socket.socket.protocol).toBe('realtime')
    const provider = await opened.upstream.session(0)
    expect(await provider.next('session.update', 1)).toMatchObject({ session: { instructions: 'Be brief.' } })
    socket.send({ type: 'response.create' })
    await socket.next('response.done')
    expect(await opened.rows(1)).toMatchObject([{ key: 'ci' }])
  })

  it('is valid only for realtime sessions, and ends with its key', async () => {
    await using opened = await open()
    const { value } = fieldsOf(await (await make(opened.gateway.url, {})).json())
    const models = await fetch(`${opened.gateway.url}/v1/models`, {
      headers: { authorization: `Bearer ${value}` },
    })
    expect(models.status).toBe(401)
    const changed = `${String(value).slice(0, -4)}AAAA`
    expect((await opened.refused({ key: changed })).status).toBe(401)
    for (const spelling of [`${String(value)}=`, `${String(value)}.`, `${String(value)}.x`])
      expect((await opened.refused({ key: spelling })).status).toBe(401)
  })

  it('is created for a model that the key may use, with a limited lifetime', async () => {
    await using opened = await open()
    const { url } = opened.gateway
    expect((await make(url, { session: { type: 'realtime', model: 'nothing' } })).status).toBe(404)
    expect((await make(url, { expires_after: { anchor: 'created_at', seconds: 86_400 } })).status).toBe(400)
    expect((await make(url, { session: { type: 'transcription' } })).status).toBe(400)
  })
})

it('the official client of realtime sessions is served over TLS', async () => {
  const folder = makeTemporaryFolder()
  const { cert, key: certificateKey } = readIdentity('first')
  writeFileSync(join(folder, 'server.crt'), cert)
  writeFileSync(join(folder, 'server.key'), certificateKey)
  await using opened = await open({ folder, more: 'tls: { cert: server.crt, key: server.key }' })
  const client = new OpenAI({ baseURL: `${opened.gateway.url}/v1`, apiKey: key })
  const realtime = new OpenAIRealtimeWS(
    { model: 'voice', options: { ca: readCertificate('ca.crt') } },
    client,
  )
  const seen: string[] = []
  const done = new Promise<string>((resolve, reject) => {
    realtime.on('error', reject)
    realtime.on('session.created', () => {
      realtime.send({
        type: 'conversation.item.create',
        item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
      })
      realtime.send({ type: 'response.create' })
    })
    realtime.on('response.output_text.delta', ({ delta }) => seen.push(delta))
    realtime.on('response.done', ({ response }) => resolve(String(response.status)))
  })
  expect([await done, seen]).toEqual(['completed', ['Hello']])
  realtime.close()
})

it('the demo answers text and audio', async () => {
  await using gateway = await startGateway('channels: [{ name: demo, provider: demo }]')
  await using client = await openSocket(gateway.url, { path: '/v1/realtime?model=demo-chat' })
  client.send({
    type: 'conversation.item.create',
    item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello there' }] },
  })
  client.send({ type: 'response.create' })
  expect(await client.next('response.output_text.done')).toMatchObject({ text: 'You said: Hello there' })
  await client.next('response.done')
  const from = client.events.length
  client.send({ type: 'input_audio_buffer.append', audio: Buffer.alloc(48_000).toString('base64') })
  client.send({ type: 'input_audio_buffer.commit' })
  client.send({ type: 'response.create' })
  expect(await client.next('response.done', from)).toMatchObject({
    response: { usage: { input_token_details: { audio_tokens: 10 } } },
  })
})
