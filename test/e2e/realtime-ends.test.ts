import type { Duplex } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { Clock } from '../../src/kit/time/clock.ts'
import { createAdvancingClock } from '../support/advancing-clock.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { openFaultyUpstream } from '../support/faults/session-faults.ts'
import { fieldsOf, listOf } from '../support/judged.ts'
import { openLiveUpstream } from '../support/live-upstream.ts'
import { probeRealtime } from '../support/probe-realtime.ts'
import { createQuickClock } from '../support/quick-clock.ts'
import { openRawClient, type RawClient, rawRequest } from '../support/raw-client.ts'
import { openRealtimeUpstream, type RealtimeScript } from '../support/realtime-upstream.ts'
import { openSocket, refusedHandshake } from '../support/socket-client.ts'
import { startGateway } from '../support/start-gateway.ts'
import { BODIES, needsOneProcess, SHARES } from '../support/topology/needs.ts'

const key = 'sk-real-0123456789abcdef'
const path = '/v1/realtime?model=voice'
const livePath = `/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent?key=${key}`
const HOUR_MS = 3_600_000

interface Plan {
  readonly script?: RealtimeScript
  readonly clock?: Clock
  readonly more?: string
}

/** A gateway with two channels of OpenAI's form; the first has the script, the second answers. */
async function open({ script = {}, clock, more = '' }: Plan = {}) {
  await using cleanup = new AsyncDisposableStack()
  const first = cleanup.use(await openRealtimeUpstream(script))
  const second = cleanup.use(await openRealtimeUpstream())
  const live = cleanup.use(await openLiveUpstream({ isManual: true }))
  const channel = (name: string, origin: string, provider: string, basePath: string) => `
  - name: ${name}
    provider: ${provider}
    base_url: "${origin}${basePath}"
    api_key: sk-upstream-0123456789
    allow_private: true
    priority: ${name === 'second' ? 1 : 2}
    models: [${name === 'live' ? 'talk' : 'voice'}]`
  const gateway = cleanup.use(
    await startGateway(
      `keys: [{ name: ci, secret: ${key} }]
channels:${channel('first', first.origin, 'openai', '/v1')}${channel('second', second.origin, 'openai', '/v1')}${channel('live', live.origin, 'gemini', '/v1beta')}
${more}`,
      undefined,
      clock === undefined ? {} : { clock },
    ),
  )
  const opened = cleanup.move()
  return {
    gateway,
    first,
    second,
    live,
    connect: (wanted = path) => openSocket(gateway.url, { key, path: wanted }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** A request that holds 50 KB of the memory for bodies, since its last byte never comes. */
async function holdBody(port: number) {
  const client = await openRawClient(port)
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    expect: '100-continue',
  }
  client.send(rawRequest('/v1/chat/completions', 'x'.repeat(50_000), headers).slice(0, -1))
  await client.until('100 Continue')
  return { [Symbol.dispose]: client.close }
}

describe('a realtime session moves to the next channel', () => {
  it.each([401, 429, 500, 503])('if the first returns %i', async (refuses) => {
    await using opened = await open({ script: { refuses } })
    await using client = await opened.connect()
    await client.next('session.created')
    client.send({ type: 'response.create' })
    await client.next('response.done')
    expect([opened.first.sessions.length, opened.second.sessions.length]).toEqual([0, 1])
    const admin = createAskAdmin(opened.gateway.url)
    const channels = async () =>
      listOf(fieldsOf((await admin('GET', '/ledger?limit=10')).body)['data'])
        .map(fieldsOf)
        .map(({ channel }) => channel)
    await expect.poll(channels).toEqual(['second'])
    expect(opened.first.refusals).toBe(1)
  })
})

describe('a realtime session ends', () => {
  it('when it reaches its maximum age, with the error for that', async () => {
    const clock = createAdvancingClock()
    await using opened = await open({ clock })
    await using client = await opened.connect()
    await client.next('session.created')
    clock.advance(HOUR_MS)
    expect(await client.next('error')).toMatchObject({
      error: { code: 'websocket_connection_limit_reached' },
    })
    expect((await client.closed)[0]).toBe(1001)
    const { closed } = await opened.first.session(0)
    await closed
  })

  it('after the end of the response that is in progress at the maximum age', async () => {
    const clock = createAdvancingClock()
    await using opened = await open({ clock, script: { isManual: true } })
    await using client = await opened.connect()
    client.send({ type: 'response.create' })
    const provider = await opened.first.session(0)
    await provider.next('response.create')
    provider.send({ type: 'response.created', response: { id: 'resp_1' } })
    await client.next('response.created')
    clock.advance(HOUR_MS)
    const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 }
    provider.send({ type: 'response.done', response: { id: 'resp_1', status: 'completed', usage } })
    await client.next('response.done')
    expect(await client.next('error')).toMatchObject({
      error: { code: 'websocket_connection_limit_reached' },
    })
    expect((await client.closed)[0]).toBe(1001)
  })

  it('if the memory for bodies is full, with the error for that', async () => {
    needsOneProcess(BODIES)
    await using opened = await open({ more: 'limits: { body: 64KB, held_bodies: 64KB }' })
    await using client = await opened.connect()
    await client.next('session.created')
    using _held = await holdBody(opened.gateway.port)
    client.send({ type: 'input_audio_buffer.append', audio: 'x'.repeat(30_000) })
    expect(await client.next('error')).toMatchObject({ error: { code: 'bodies_over_capacity' } })
    expect(await client.closed).toEqual([1013, 'bodies_over_capacity'])
  })

  it('after the idle timeout without a request', async () => {
    const clock = createAdvancingClock()
    await using opened = await open({ clock, more: 'websocket: { idle: 2m }' })
    await using client = await opened.connect()
    await client.next('session.created')
    clock.advance(121_000)
    expect((await client.closed)[0]).toBe(1001)
    const { closed } = await opened.first.session(0)
    await closed
  })
})

describe('a Live session ends', () => {
  it('when it reaches its maximum age, after a goAway message', async () => {
    const clock = createAdvancingClock()
    await using opened = await open({ clock })
    await using client = await opened.connect(livePath)
    client.send({ setup: { model: 'models/talk' } })
    await expect.poll(() => client.events.length).toBe(1)
    clock.advance(HOUR_MS)
    const [code, reason] = await client.closed
    expect([code, reason]).toEqual([1001, expect.stringContaining('websocket_connection_limit_reached')])
    expect(client.events.at(-1)).toEqual({ goAway: { timeLeft: '0s' } })
    const { closed } = await opened.live.session(0)
    await closed
  })

  it('if the memory for bodies is full, with the error for that', async () => {
    needsOneProcess(BODIES)
    await using opened = await open({ more: 'limits: { body: 64KB, held_bodies: 64KB }' })
    await using client = await opened.connect(livePath)
    client.send({ setup: { model: 'models/talk' } })
    await expect.poll(() => client.events.length).toBe(1)
    using _held = await holdBody(opened.gateway.port)
    client.send({ realtimeInput: { text: 'x'.repeat(30_000) } })
    expect(await client.closed).toEqual([1013, expect.stringContaining('bodies_over_capacity')])
  })

  it('if its caller names no model in time', async () => {
    await using opened = await open({ clock: createQuickClock(20) })
    await using client = await opened.connect(livePath)
    expect(await client.closed).toEqual([1008, expect.stringContaining('missing_field')])
    expect(opened.live.sessions.length).toBe(0)
  })
})

const handshake = `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`

/** A caller whose first channel refuses the session after `during`, and whose second channel opens it. */
async function openDuring(during: (client: RawClient, url: string) => Promise<void>) {
  await using cleanup = new AsyncDisposableStack()
  const arrived = Promise.withResolvers<Duplex>()
  const broken = cleanup.use(
    await openFaultyUpstream({ name: 'a late refusal', answer: arrived.resolve, status: 502 }),
  )
  const good = cleanup.use(await openRealtimeUpstream())
  const channel = (name: string, { origin }: { readonly origin: string }, priority: number) =>
    `  - { name: ${name}, provider: openai, base_url: "${origin}/v1", api_key: sk-upstream-0123456789, allow_private: true, priority: ${priority}, models: [voice] }`
  const gateway = cleanup.use(
    await startGateway(
      `keys: [{ name: ci, secret: ${key} }]\nchannels:\n${channel('first', broken, 2)}\n${channel('second', good, 1)}\n`,
    ),
  )
  const client = await openRawClient(gateway.port)
  cleanup.defer(client.close)
  client.send(handshake)
  const socket = await arrived.promise
  await during(client, gateway.url)
  socket.end('HTTP/1.1 500 Fault\r\ncontent-length: 0\r\n\r\n')
  const opened = cleanup.move()
  return { client, good, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

/** The frame of a text of fewer than 126 bytes, with a mask of zeros. */
function textFrame(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)])
}

describe('while a session is opened', () => {
  it('a caller that ends its side of the connection is not connected to the next channel', async () => {
    await using opened = await openDuring(async (client, url) => {
      await new Promise<void>((sent) => client.socket.end(sent))
      await fetch(`${url}/healthz`)
    })
    await opened.client.ended
    expect(opened.client.text).toContain('client_closed_request')
    expect(opened.good.sessions.length).toBe(0)
  })

  it('a caller that leaves while it waits for a rate limit leaves the queue at once', async () => {
    needsOneProcess(SHARES)
    await using opened = await open({ more: 'rate: { concurrency: 1, wait: 10m }' })
    await using first = await opened.connect()
    await first.next('session.created')
    const client = await openRawClient(opened.gateway.port)
    client.send(handshake)
    await fetch(`${opened.gateway.url}/healthz`)
    client.socket.end()
    await client.until('client_closed_request')
    expect(opened.first.sessions.length).toBe(1)
  })

  it('the frames of a caller that does not wait for the answer reach the provider', async () => {
    await using opened = await openDuring(async (client, url) => {
      client.send(textFrame('{"type":"response.create","n":1}'))
      await fetch(`${url}/healthz`)
      client.send(textFrame('{"type":"response.create","n":2}'))
    })
    await opened.client.until('101 Switching')
    const provider = await opened.good.session(0)
    await provider.next('response.create', 1)
  })
})

it('a client secret is valid until it expires', async () => {
  const clock = createAdvancingClock()
  await using opened = await open({ clock })
  const { url } = opened.gateway
  const made = await fetch(`${url}/v1/realtime/client_secrets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: '{"expires_after":{"anchor":"created_at","seconds":60},"session":{"type":"realtime","model":"voice"}}',
  })
  const secret = String(fieldsOf(await made.json())['value'])
  await using client = await openSocket(url, { key: secret, path: '/v1/realtime' })
  await client.next('session.created')
  clock.advance(61_000)
  const refused = await refusedHandshake(url, { key: secret, path: '/v1/realtime' })
  expect([refused.status, fieldsOf(fieldsOf(refused.body)['error'])['code']]).toEqual([
    401,
    'invalid_api_key',
  ])
})

it('no key learns of the sessions and secrets of another key, in 500 probes', async () => {
  expect(await probeRealtime(11)).toBeGreaterThanOrEqual(500)
})
