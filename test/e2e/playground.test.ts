import { connect, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { addUser, makeOwner } from '../support/admin-browser.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { chunk, delta, done, finish } from '../support/chat-chunks.ts'
import { openScriptedUpstream, sseAnswer } from '../support/scripted-upstream.ts'
import { type StartedGateway, startGateway, testAdminToken } from '../support/start-gateway.ts'
import { needsOneProcess, SHARES } from '../support/topology/needs.ts'
import { untilAsync, untilSteady } from '../support/until.ts'

const request = { model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi' }] }
const usage = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 }
const answer = [
  delta({ content: 'Hello' }),
  delta({ content: ' there.' }),
  finish('stop'),
  chunk(undefined, { usage }),
  done,
]
const groups = `groups:
  search: { models: [m], multiplier: 2 }
  other: { models: [n] }
models: { m: { price: { input: 2, output: 8 } } }
`

function startWith(origins: readonly string[], more = '') {
  const channels = origins.map((origin, index) => ({
    name: `c${index}`,
    format: 'chat' as const,
    origin,
    models: ['m', 'n'],
    more: `priority: ${9 - index}`,
  }))
  return startGateway(channelYaml(...channels) + groups + more)
}

/** Asks as the admin token; the answer's stream is the reader's to take. */
function ask(gateway: StartedGateway, body: object, signal?: AbortSignal) {
  return fetch(`${gateway.url}/admin/v1/playground/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testAdminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal !== undefined && { signal }),
  })
}

const MEGABYTE = 1024 * 1024
const LONG_BYTES = 48 * MEGABYTE
/** The bytes that the system's own buffers of two connections hold, and ours. */
const MAX_HELD_BYTES = 24 * MEGABYTE

/** The same over a connection whose answer waits until it is resumed. */
function askWithoutReading({ url }: StartedGateway, body: object): Socket {
  const text = JSON.stringify(body)
  const head = [
    'POST /admin/v1/playground/completions HTTP/1.1',
    'host: 127.0.0.1',
    `authorization: Bearer ${testAdminToken}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(text)}`,
    'connection: close',
  ]
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' })
  socket.on('error', () => socket.destroy())
  socket.pause()
  socket.write(`${head.join('\r\n')}\r\n\r\n${text}`)
  return socket
}

describe('POST /admin/v1/playground/completions', () => {
  it('streams the answer as it arrives, with its cost, and has its rows under the internal key', async () => {
    await using upstream = await openScriptedUpstream(sseAnswer(answer))
    await using gateway = await startWith([upstream.origin])
    const response = await ask(gateway, { request, group: 'search' })
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ])
    expect(response.headers.get('x-headgate-channel')).toBe('c0')
    const text = await response.text()
    expect(text).toContain('Hello')
    // 10 in at 2 and 20 out at 8 dollars a million.
    expect(text).toContain('"cost":0.00018')
    expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true)
    const admin = createAskAdmin(gateway.url)
    const id = response.headers.get('x-request-id')
    await untilAsync('the ledger has it', async () =>
      (await admin('GET', `/ledger?request_id=${id}`)).text.includes('internal:playground'),
    )
    expect((await admin('GET', `/ledger?request_id=${id}`)).body).toMatchObject({
      data: [{ key: 'internal:playground', group: 'search', cost_usd: 0.00018, charged_usd: 0.00036 }],
    })
  })

  it('cancels the upstream call when the reader disconnects', async () => {
    await using upstream = await openScriptedUpstream(sseAnswer([delta({ content: 'Hello' })], 'hang'))
    await using gateway = await startWith([upstream.origin])
    const leaving = new AbortController()
    const response = await ask(gateway, { request }, leaving.signal)
    await response.body?.getReader().read()
    leaving.abort()
    const asked = await upstream.request(0)
    await asked.closed
    expect(asked.abortedAtMs).toBeDefined()
  })

  it('is captured under the internal key if all requests are captured', async () => {
    await using upstream = await openScriptedUpstream(sseAnswer(answer))
    await using gateway = await startWith([upstream.origin], 'capture: { bodies: both }\n')
    const response = await ask(gateway, { request })
    await response.text()
    const admin = createAskAdmin(gateway.url)
    await untilAsync('it is captured', async () =>
      (await admin('GET', '/captures')).text.includes('internal:playground'),
    )
    const shown = await admin('GET', `/captures/${response.headers.get('x-request-id')}`)
    expect(shown.text).toContain('Hello there.')
  })

  it('pauses the upstream while no reader consumes the answer, and later delivers all of it', async () => {
    const text = 'x'.repeat(64 * 1024)
    const long = Array.from({ length: LONG_BYTES / text.length }, () => delta({ content: text }))
    await using upstream = await openScriptedUpstream(sseAnswer([...long, ...answer]))
    await using gateway = await startWith([upstream.origin])
    const socket = askWithoutReading(gateway, { request })
    const asked = await upstream.request(0)
    const written = () => asked.socket.bytesWritten
    const exchange = async () => {
      await (await fetch(`${gateway.url}/healthz`)).text()
    }
    const held = await untilSteady('what the upstream wrote', written, exchange)
    expect(held).toBeGreaterThan(0)
    expect(held).toBeLessThan(MAX_HELD_BYTES)
    let received = 0
    let last = ''
    socket.on('data', (bytes: Buffer) => {
      received += bytes.length
      last = `${last}${bytes.toString('latin1')}`.slice(-400)
    })
    socket.resume()
    await new Promise((closed) => socket.on('close', closed))
    expect(received).toBeGreaterThan(LONG_BYTES)
    expect(last).toContain('data: [DONE]')
  })

  it('calls only the channel that an operator names, and reports faults of the request', async () => {
    await using first = await openScriptedUpstream(sseAnswer(answer))
    await using second = await openScriptedUpstream(sseAnswer(answer))
    await using gateway = await startWith([first.origin, second.origin])
    const pinned = await ask(gateway, { request, channel: 'c1' })
    expect([pinned.status, pinned.headers.get('x-headgate-channel')]).toEqual([200, 'c1'])
    await pinned.text()
    expect(first.requests).toEqual([])
    const unserved = await ask(gateway, { request, channel: 'none' })
    expect([unserved.status, await unserved.json()]).toMatchObject([
      404,
      { error: { code: 'model_not_found' } },
    ])
    const unknown = await ask(gateway, { request, group: 'none' })
    expect([unknown.status, await unknown.json()]).toMatchObject([
      400,
      { error: { code: 'invalid_field', param: 'group' } },
    ])
    const empty = await ask(gateway, {})
    expect([empty.status, await empty.json()]).toMatchObject([400, { error: { code: 'missing_field' } }])
  })

  it('lets a member use the models of their groups, charged to them within their limits, but not choose a channel', async () => {
    needsOneProcess(SHARES)
    await using upstream = await openScriptedUpstream(sseAnswer(answer))
    const limits = 'users: { mia: { rate: { rpm: 1, burst: 1 } } }\n'
    await using gateway = await startWith([upstream.origin], limits)
    const owner = await makeOwner(gateway)
    const invitation = { name: 'mia', role: 'member', groups: [{ group: 'search' }] }
    const mia = await addUser(owner, gateway, invitation)
    const send = (body: object) => mia.ask('POST', '/playground/completions', body)
    const channel = await send({ request, channel: 'c0' })
    expect([channel.status, channel.body]).toMatchObject([403, { error: { code: 'not_permitted' } }])
    const other = await send({ request: { ...request, model: 'n' } })
    expect([other.status, other.body]).toMatchObject([404, { error: { code: 'model_not_found' } }])
    const whole = { ...request, stream: false }
    expect((await send({ request: { ...whole, model: 'n' }, group: 'other' })).status).toBe(403)
    expect(upstream.requests).toEqual([])
    // The first request has its answer, and the second is over the member's own rate limit.
    await fetchAs(gateway, mia.cookie ?? '', { request })
    const limited = await send({ request })
    expect([limited.status, limited.body]).toMatchObject([429, { error: { code: 'rate_limit_exceeded' } }])
    expect(upstream.requests.length).toBe(1)
  })
})

/** Asks as a browser does, and reads the stream to its end. */
async function fetchAs(gateway: StartedGateway, cookie: string, body: object): Promise<string> {
  const response = await fetch(`${gateway.url}/admin/v1/playground/completions`, {
    method: 'POST',
    headers: { cookie, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(response.status).toBe(200)
  return response.text()
}
