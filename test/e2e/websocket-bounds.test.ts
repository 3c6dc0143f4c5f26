import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { createdKeySchema } from '../../src/admin/keys/key-contract.ts'
import { createAdvancingClock } from '../support/advancing-clock.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { createGate } from '../support/gate.ts'
import { openGateway } from '../support/open-gateway.ts'
import { sampleStreams } from '../support/sample-streams.ts'
import { sseAnswer } from '../support/scripted-upstream.ts'
import { openSocket, refusedHandshake } from '../support/socket-client.ts'
import { needsOneFolder, needsOneProcess, SHARES } from '../support/topology/needs.ts'
import { until } from '../support/until.ts'

const { frames } = sampleStreams.responses
const good = sseAnswer(frames)
const create = { type: 'response.create', model: 'm', input: 'Hello', store: false }

describe('before the connection becomes a WebSocket', () => {
  it('a caller without a valid key is refused over HTTP', async () => {
    await using open = await openGateway({ format: 'responses', scripts: [good] })
    for (const key of ['', 'sk-wrong-0123456789abcdef'])
      expect(await refusedHandshake(open.gateway.url, { key })).toMatchObject({
        status: 401,
        body: { error: { type: 'authentication_error' } },
      })
  })

  it('a caller from an address that its key does not allow is refused over HTTP', async () => {
    const keys =
      'keys: [{ name: k, secret: sk-far-0123456789abcdef, models: ["*"], allow_ips: ["192.0.2.0/24"] }]\n'
    await using open = await openGateway({ format: 'responses', scripts: [good], more: keys })
    const refused = await refusedHandshake(open.gateway.url, { key: 'sk-far-0123456789abcdef' })
    expect(refused.status).toBe(403)
  })

  it('a key at its limit of connections is refused until one closes', async () => {
    needsOneProcess(SHARES)
    const more = 'websocket: { per_key: 1 }\n'
    await using open = await openGateway({ format: 'responses', scripts: [good], more })
    const first = await openSocket(open.gateway.url)
    expect(await refusedHandshake(open.gateway.url)).toMatchObject({
      status: 429,
      body: { error: { code: 'rate_limit_exceeded', message: expect.stringContaining('(1)') } },
    })
    await first[Symbol.asyncDispose]()
    await expect
      .poll(() => openSocket(open.gateway.url).then((next) => next[Symbol.asyncDispose]()))
      .toBe(undefined)
  })

  it('a gateway without WebSocket names the alternative', async () => {
    await using open = await openGateway({ format: 'responses', scripts: [good], more: 'websocket: off\n' })
    expect(await refusedHandshake(open.gateway.url)).toMatchObject({
      status: 426,
      body: { error: { code: 'upgrade_required', message: expect.stringContaining('POST /v1/responses') } },
    })
  })

  it('a gateway that is shutting down refuses', async () => {
    const gate = createGate()
    const scripts = [sseAnswer([frames[0] ?? '', gate.opened, ...frames.slice(1)])]
    await using open = await openGateway({ format: 'responses', scripts })
    await using client = await openSocket(open.gateway.url)
    client.send(create)
    await open.upstreams[0]?.request(0)
    const closed = open.gateway.close(10_000)
    expect(await refusedHandshake(open.gateway.url)).toMatchObject({ status: 503 })
    gate.open()
    await client.next('response.completed')
    await closed
  })
})

describe('one connection', () => {
  it('serves the requests of one stream in order, and those of others concurrently', async () => {
    const gate = createGate()
    let asked = 0
    const script = () => {
      asked += 1
      return asked === 1 ? sseAnswer([frames[0] ?? '', gate.opened, ...frames.slice(1)]) : good
    }
    await using open = await openGateway({ format: 'responses', scripts: [script] })
    await using client = await openSocket(open.gateway.url)
    client.send({ ...create, stream_id: 'a' })
    await open.upstreams[0]?.request(0)
    client.send({ ...create, stream_id: 'a', input: 'second of a' })
    client.send({ ...create, stream_id: 'b', input: 'first of b' })
    const first = await client.next('response.completed')
    expect(first['stream_id']).toBe('b')
    expect(open.upstreams[0]?.requests).toHaveLength(2)
    gate.open()
    await expect
      .poll(() =>
        client.events.filter(({ type }) => type === 'response.completed').map((one) => one['stream_id']),
      )
      .toEqual(['b', 'a', 'a'])
  })

  it('answers an unknown event with an error event, and continues', async () => {
    await using open = await openGateway({ format: 'responses', scripts: [good] })
    await using client = await openSocket(open.gateway.url)
    const wrong = [
      '{',
      '[]',
      '{"type":"response.cancel"}',
      '{"model":"m"}',
      JSON.stringify({ ...create, background: true }),
    ]
    for (const text of wrong) client.socket.send(text)
    await until('an error for each', () => client.events.length === wrong.length)
    expect(client.events.every(({ type, status }) => type === 'error' && status === 400)).toBe(true)
    client.send({ type: 'response.steer', previous_response_id: 'resp_1', input: 'Stop.' })
    expect(await client.next('response.steer.failed')).toMatchObject({
      error: { code: 'steering_not_supported' },
      steer: { input: 'Stop.', previous_response_id: 'resp_1' },
    })
    client.send(create)
    await client.next('response.completed')
  })

  it('refuses binary frames, and frames above the largest body', async () => {
    await using open = await openGateway({
      format: 'responses',
      scripts: [good],
      more: 'limits: { body: 4KB }\n',
    })
    await using binary = await openSocket(open.gateway.url)
    binary.socket.send(Buffer.from(JSON.stringify(create)))
    expect((await binary.closed)[0]).toBe(1003)
    await using large = await openSocket(open.gateway.url)
    large.send({ ...create, input: 'x'.repeat(5_000) })
    expect((await large.closed)[0]).toBe(1009)
  })

  it('does not count the heads of frames and the pings that it has received among held bodies', async () => {
    const more = 'limits: { body: 4KB, held_bodies: 8KB }\n'
    await using open = await openGateway({ format: 'responses', scripts: [good], more })
    await using client = await openSocket(open.gateway.url)
    for (let sent = 0; sent < 100; sent += 1) {
      client.socket.ping('x'.repeat(100))
      await once(client.socket, 'pong')
    }
    for (let answered = 100; answered <= 2_000; answered += 100) {
      for (let sent = 0; sent < 100; sent += 1) client.socket.send('{}')
      await until('an error for each', () => client.events.length === answered)
    }
    expect(client.events.every((event) => event['status'] === 400)).toBe(true)
    client.send({ ...create, input: 'x'.repeat(3_000) })
    await client.next('response.completed')
  })

  it('pauses the upstream while its caller does not read', async () => {
    const chunk = `event: response.output_text.delta\ndata: ${JSON.stringify({
      type: 'response.output_text.delta',
      delta: 'x'.repeat(64_000),
    })}\n\n`
    const flood = sseAnswer([...frames.slice(0, 1), ...Array.from({ length: 1_000 }, () => chunk)])
    await using open = await openGateway({ format: 'responses', scripts: [flood] })
    await using client = await openSocket(open.gateway.url)
    client.send(create)
    const request = await open.upstreams[0]?.request(0)
    await client.next('response.created')
    client.socket.pause()
    await until('the upstream waits', () => (request?.socket.writableLength ?? 0) > 0)
    const written = request?.socket.bytesWritten ?? 0
    expect(written).toBeLessThan(32_000_000)
    client.socket.resume()
    await until('the upstream goes on', () => (request?.socket.bytesWritten ?? 0) > 60_000_000)
  })

  it('ends its upstream request when the caller disconnects', async () => {
    await using open = await openGateway({
      format: 'responses',
      scripts: [sseAnswer(frames.slice(0, 1), 'hang')],
    })
    const client = await openSocket(open.gateway.url)
    client.send(create)
    const request = await open.upstreams[0]?.request(0)
    await client[Symbol.asyncDispose]()
    await request?.closed
    expect(request?.abortedAtMs).toBeDefined()
  })

  it('refuses a revoked key', async () => {
    await using open = await openGateway({ format: 'responses', scripts: [good] })
    const admin = createAskAdmin(open.gateway.url)
    const { body } = await admin('POST', '/keys', { body: { name: 'short', models: ['*'] } })
    const { id, secret } = createdKeySchema.parse(body)
    await using client = await openSocket(open.gateway.url, { key: secret })
    expect((await admin('DELETE', `/keys/${id}`)).status).toBeLessThan(300)
    client.send(create)
    expect(await client.next('error')).toMatchObject({ status: 401 })
    expect(open.upstreams[0]?.requests).toHaveLength(0)
  })

  it('is closed after an idle time, with a reason', async () => {
    const clock = createAdvancingClock()
    await using open = await openGateway({ format: 'responses', scripts: [good], clock })
    await using client = await openSocket(open.gateway.url)
    client.send(create)
    await client.next('response.completed')
    clock.advance(10 * 60_000)
    expect(await client.closed).toEqual([1001, 'nothing was asked for too long'])
  })

  it('refuses requests after 60 minutes, and closes after the last one', async () => {
    const clock = createAdvancingClock()
    const gate = createGate()
    const scripts = [sseAnswer([...frames.slice(0, 3), gate.opened, ...frames.slice(3)])]
    const more = 'websocket: { idle: 1h }\n'
    await using open = await openGateway({ format: 'responses', scripts, clock, more })
    await using idle = await openSocket(open.gateway.url)
    await using busy = await openSocket(open.gateway.url)
    clock.advance(3_595_000)
    busy.send(create)
    await busy.next('response.created')
    clock.advance(10_000)
    expect(await idle.next('error')).toMatchObject({
      status: 400,
      error: { code: 'websocket_connection_limit_reached' },
    })
    expect(await idle.closed).toEqual([1001, expect.stringContaining('60 minutes')])
    busy.send(create)
    expect(await busy.next('error')).toMatchObject({ error: { code: 'websocket_connection_limit_reached' } })
    gate.open()
    expect((await busy.closed)[0]).toBe(1001)
  })

  it('is closed with a reason when the gateway ends, after the requests in progress', async () => {
    const gate = createGate()
    const scripts = [sseAnswer([...frames.slice(0, 3), gate.opened, ...frames.slice(3)])]
    await using open = await openGateway({ format: 'responses', scripts })
    await using idle = await openSocket(open.gateway.url)
    await using busy = await openSocket(open.gateway.url)
    busy.send(create)
    await busy.next('response.created')
    const closed = open.gateway.close(10_000)
    expect(await idle.closed).toEqual([1001, expect.stringContaining('shutting down')])
    gate.open()
    await busy.next('response.completed')
    expect((await busy.closed)[0]).toBe(1001)
    await closed
  })
})

it('the metrics count open connections', async () => {
  needsOneFolder('metrics are those of the node that is asked')
  await using open = await openGateway({ format: 'responses', scripts: [good] })
  await using _client = await openSocket(open.gateway.url)
  const metrics = await (await fetch(`${open.gateway.url}/metrics`)).text()
  expect(metrics).toContain('headgate_websockets 1\n')
})
