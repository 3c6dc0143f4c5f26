import { describe, expect, it } from 'vitest'
import { answerStrictly } from '../support/agent/speech.ts'
import { ask } from '../support/ask.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { type OpenGateway, openGateway, type Script } from '../support/open-gateway.ts'
import { jsonAnswer, openScriptedUpstream, type ScriptedAnswer } from '../support/scripted-upstream.ts'
import { startGateway } from '../support/start-gateway.ts'
import { topology } from '../support/topology/topology.ts'

const messages = [{ role: 'user', content: 'Hi' }]
const good: Script = (request) => answerStrictly('chat', request, { text: 'Well.' })
const error = (status: number, fields: object): ScriptedAnswer => jsonAnswer({ error: fields }, status)
const broken = error(500, { message: 'broken', type: 'server_error' })
const limited = error(429, { message: 'slow down', type: 'rate_limit_error' })
const tooLong = error(400, {
  message: "This model's maximum context length is 8192 tokens.",
  type: 'invalid_request_error',
  code: 'context_length_exceeded',
})
const reset: ScriptedAnswer = { ending: 'reset' }

interface Failover extends OpenGateway {
  request(model: string): Promise<{ readonly status: number; readonly body: string; readonly tookMs: number }>
}

/** Channels `c1`, `c2` … of one script each, whose models are `m1`, `m2` …, and the `models` section of a test. */
async function openFailover(scripts: readonly Script[], more: string): Promise<Failover> {
  await using cleanup = new AsyncDisposableStack()
  const upstreams = []
  for (const script of scripts) upstreams.push(cleanup.use(await openScriptedUpstream(script)))
  const channels = upstreams.map(({ origin }, index) => ({
    name: `c${index + 1}`,
    format: 'chat' as const,
    origin,
    models: [`m${index + 1}`],
  }))
  const gateway = cleanup.use(await startGateway(channelYaml(...channels) + more))
  const open = cleanup.move()
  return {
    gateway,
    upstreams,
    async request(model) {
      const startedAtMs = performance.now()
      const { status, body } = await ask({ url: gateway.url, format: 'chat' }, { model, messages })
      return { status, body: body.toString(), tookMs: performance.now() - startedAtMs }
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

const callsOf = ({ upstreams }: OpenGateway) => upstreams.map(({ requests }) => requests.length)

describe('a request that is too long for its model', () => {
  it('is sent once to a fallback whose context window is unknown', async () => {
    await using open = await openFailover([tooLong, good], 'models: { m1: { fallback: [m2] } }\n')
    expect((await open.request('m1')).status).toBe(200)
    expect(callsOf(open)).toEqual([1, 1])
  })

  it('is refused if the fallback declares a window that is no larger', async () => {
    const models = 'models: { m1: { fallback: [m2] }, m2: { context_window: 8192 } }\n'
    await using open = await openFailover([tooLong, good], models)
    const { status, body } = await open.request('m1')
    expect([status, JSON.parse(body).error.code]).toEqual([400, 'context_length_exceeded'])
    expect(callsOf(open)).toEqual([1, 0])
  })
})

describe('several failing targets', () => {
  const models = 'models: { m: { targets: [c1/m1, c2/m2], fallback: [m3] } }\n'

  it('lead to a fallback before any target is called again', async () => {
    await using open = await openFailover([limited, broken, good], models)
    for (let count = 0; count < 4; count += 1) expect((await open.request('m')).status).toBe(200)
  })

  it('let the fallback answer every one of twenty requests in a row', async () => {
    await using open = await openFailover([broken, broken, good], models)
    const statuses: number[] = []
    for (let count = 0; count < 20; count += 1) statuses.push((await open.request('m')).status)
    expect(statuses).toEqual(Array.from({ length: 20 }, () => 200))
  })

  it('are each listed in the error, which does not claim that all are rate limited', async () => {
    const two = 'models: { m: { targets: [c1/m1, c2/m2] } }\n'
    await using open = await openFailover([limited, { status: 500 }], two)
    const { status, body } = await open.request('m')
    const { code, message } = JSON.parse(body).error
    expect([status, code]).toEqual([502, 'upstream_error'])
    expect(message).toMatch(/2 targets were asked: .*upstream_rate_limited/)
    expect(message).not.toMatch(/Every channel/)
  })
})

describe('a connection that is reset before the first byte of an answer', () => {
  it('is followed by one more call on a new connection', async () => {
    const script: Script = (request, index) =>
      index === 0 ? reset : answerStrictly('chat', request, { text: 'Well.' })
    await using open = await openGateway({ scripts: [script] })
    const answer = await ask({ url: open.gateway.url, format: 'chat' }, { model: 'm', messages })
    expect(answer.status).toBe(200)
    const [first, second] = open.upstreams[0]?.requests ?? []
    expect(second?.socket).toBeDefined()
    expect(second?.socket).not.toBe(first?.socket)
  })

  it('is reported as a closed connection', async () => {
    await using open = await openGateway({ scripts: [reset] })
    const answer = await ask({ url: open.gateway.url, format: 'chat' }, { model: 'm', messages })
    expect(answer.status).toBe(502)
    const { message } = JSON.parse(answer.body.toString()).error
    expect(message).toBe('The model provider closed the connection before it sent any of its answer.')
    expect(open.upstreams[0]?.requests).toHaveLength(2)
  })
})

describe('the only target', () => {
  it('is called once more after a rate limit without a time', async () => {
    const script: Script = (request, index) =>
      index === 0 ? limited : answerStrictly('chat', request, { text: 'Well.' })
    await using open = await openGateway({ scripts: [script] })
    const answer = await ask({ url: open.gateway.url, format: 'chat' }, { model: 'm', messages })
    expect(answer.status).toBe(200)
  })

  it('delays no request while it is out of rotation, and the caller learns when to retry', async () => {
    await using open = await openGateway({ scripts: [broken], more: 'retry: { same_target: 0 }\n' })
    const caller = { url: open.gateway.url, format: 'chat' } as const
    for (let count = 0; count < 5; count += 1) await ask(caller, { model: 'm', messages })
    const startedAtMs = performance.now()
    let answer = await ask(caller, { model: 'm', messages })
    expect(performance.now() - startedAtMs).toBeLessThan(1_500)
    // Another process hears of the fifth a moment later.
    while (topology !== 'one process' && answer.status === 502)
      answer = await ask(caller, { model: 'm', messages })
    if (topology === 'one process') expect(open.upstreams[0]?.requests).toHaveLength(5)
    expect(answer.status).toBe(503)
    const seconds = Number(answer.headers['retry-after'])
    expect(seconds).toBeGreaterThanOrEqual(3)
    expect(seconds).toBeLessThanOrEqual(6)
  })
})
