import type { Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createChannel } from '../../test/support/create-channel.ts'
import { createFakeClock } from '../../test/support/fake-clock.ts'
import { createGate } from '../../test/support/gate.ts'
import { openScriptedUpstream, type UpstreamHandler } from '../../test/support/scripted-upstream.ts'
import { throwFault } from '../../test/support/throw-fault.ts'
import { until } from '../../test/support/until.ts'
import type { ErrorCode } from '../canonical/error-table.ts'
import { createFailure } from '../canonical/failure.ts'
import type { Channel, HealthCheck } from '../catalog/channel.ts'
import { createSeededRandom } from '../kit/random/seeded-random.ts'
import { providerRegistry } from '../providers/registry.ts'
import type { Candidate } from '../routing/candidate.ts'
import { HealthTracker } from '../routing/health/health-tracker.ts'
import { createRedactor } from '../telemetry/redact.ts'
import { openUpstream } from '../upstream/open-upstream.ts'
import { chatFormat } from '../wire/chat/format.ts'
import { AnswerBudget, AnswerTurns } from './exchange/answer-budget.ts'
import { createModelListFetcher } from './fetch-model-list.ts'
import { type CheckReport, createHealthChecker } from './health-checker.ts'
import { createDeadlineWatch } from './response/deadline-watch.ts'

const list = { headers: { 'content-type': 'application/json' }, chunks: ['{"data":[{"id":"m"}]}'] }
const reply = {
  id: 'a',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'length' }],
}

const token = { headers: { 'content-type': 'application/json' }, chunks: [JSON.stringify(reply)] }

async function openScene(handler: UpstreamHandler, policy: Partial<HealthCheck> = {}) {
  const receiver = await openScriptedUpstream(handler)
  const clock = createFakeClock()
  const upstream = openUpstream()
  const random = createSeededRandom(1)
  const tracker = new HealthTracker({ random })
  const reports: CheckReport[] = []
  const redactor = createRedactor(['secret-one', 'secret-two'])
  const common = { upstream, providers: providerRegistry, userAgent: 'test' }
  const formats = { chat: chatFormat }
  const fetchList = createModelListFetcher(common)
  const checker = createHealthChecker({
    isMine: () => true,
    gateway: {
      ...common,
      formats,
      redactor,
      clock,
      watch: createDeadlineWatch(clock, throwFault),
      fetchList,
      answerBudget: new AnswerBudget({ heldAnswerBytes: 1_000_000 }),
      answerTurns: new AnswerTurns(clock),
    },
    tracker,
    clock,
    random,
    onChecked: (report) => reports.push(report),
    onFreed: () => undefined,
  })
  onTestFinished(async () => {
    checker.close()
    await upstream.close()
    await receiver.close()
  })
  const channel = createChannel({
    name: 'c',
    provider: 'openai',
    baseUrl: `${receiver.origin}/v1`,
    allowPrivate: true,
    credentials: [
      { id: 'c#1', secret: 'secret-one' },
      { id: 'c#2', secret: 'secret-two' },
    ],
    models: { m: 'm' },
    healthCheck: { everyMs: 30_000, mayGenerate: false, ...policy },
  })
  const candidateOf = (place: number, of: Channel = channel): Candidate => ({
    target: { channel: of, upstreamModel: 'm', capabilities: {} },
    credential: of.credentials[place],
    publicName: 'm',
    operation: 'conversation',
    isProbe: false,
  })
  return {
    clock,
    checker,
    reports,
    receiver,
    channel,
    fail(place: number, code: ErrorCode) {
      const nowMs = clock.monotonicMs()
      const span = { startedAtMs: nowMs, endedAtMs: nowMs }
      tracker.recordFailure(candidateOf(place), createFailure(code), span)
    },
    typeOf: (place: number) => tracker.stateOf(candidateOf(place), clock.monotonicMs()).type,
    checked: (count: number) => until('the checks are over', () => reports.length >= count),
  }
}

it('requests the list with only the refused key, and lets one request try the key after a good list', async () => {
  const scene = await openScene(() => list)
  scene.checker.change([scene.channel])
  scene.fail(0, 'upstream_credential')
  scene.clock.advance(30_000)
  await scene.checked(1)
  expect(scene.typeOf(0)).toBe('half-open-due')
  expect(
    scene.receiver.requests.map(({ method, path, headers }) => [method, path, headers.authorization]),
  ).toEqual([['GET', '/v1/models', 'Bearer secret-one']])
  expect(scene.checker.reports()).toMatchObject([
    { channel: 'c', credentialId: 'c#1', type: 'list', cause: undefined },
  ])
})

it('leaves a key shut that is still refused, and reports why without showing the key', async () => {
  const scene = await openScene(() => ({ status: 401, chunks: ['no secret-one'] }))
  scene.checker.change([scene.channel])
  scene.fail(0, 'upstream_credential')
  scene.clock.advance(30_000)
  await scene.checked(1)
  expect(scene.typeOf(0)).toBe('open')
  expect(scene.reports[0]).toMatchObject({
    cause: 'the model list was answered with status 401',
    fact: { code: 'answered_status', values: { status: 401 } },
  })
})

it.each([
  ['not JSON', 'no json', 'not_json'],
  ['no list', '{"data":"none"}', 'not_a_list'],
  ['nested too deeply', '['.repeat(100_000), 'too_complex'],
])('reports that the list is %s', async (_, chunk, code) => {
  const scene = await openScene(() => ({ status: 200, chunks: [chunk] }))
  scene.checker.change([scene.channel])
  scene.fail(0, 'upstream_credential')
  scene.clock.advance(30_000)
  await scene.checked(1)
  expect(scene.reports[0]?.fact).toEqual({ code, values: {} })
})

it('sends no check while all is healthy, or when no check is wanted', async () => {
  const scene = await openScene(() => list)
  scene.checker.change([scene.channel])
  scene.clock.advance(300_000)
  scene.fail(0, 'upstream_credential')
  const { healthCheck: _off, ...unchecked } = scene.channel
  scene.checker.change([unchecked])
  expect(scene.clock.pendingTimers).toBe(0)
  scene.clock.advance(300_000)
  expect([scene.receiver.requests.length, scene.reports.length]).toEqual([0, 0])
})

it('buys a token if the operator allows it, and a real answer restores the key', async () => {
  const scene = await openScene(() => token, { mayGenerate: true })
  scene.checker.change([scene.channel])
  scene.fail(1, 'upstream_quota')
  scene.clock.advance(30_000)
  await scene.checked(1)
  expect(scene.typeOf(1)).toBe('closed')
  const [asked] = scene.receiver.requests
  expect([asked?.path, asked?.headers.authorization]).toEqual(['/v1/chat/completions', 'Bearer secret-two'])
  expect(JSON.parse(asked?.body.toString() ?? '')).toMatchObject({ model: 'm', max_completion_tokens: 1 })
})

it('requests a token again on a new connection if the reused one was dead', async () => {
  let kept: Socket | undefined
  const handler: UpstreamHandler = ({ socket }, index) => {
    if (index === 0) kept = socket
    else if (socket === kept) {
      socket.destroy()
      return { ending: 'silence' }
    }
    return token
  }
  const scene = await openScene(handler, { mayGenerate: true })
  scene.checker.change([scene.channel])
  for (const place of [0, 1]) {
    scene.fail(place, 'upstream_quota')
    scene.clock.advance(30_000)
    await scene.checked(place + 1)
    expect(scene.typeOf(place)).toBe('closed')
  }
  expect(scene.receiver.requests).toHaveLength(3)
})

it('a token refused by text under a success status restores nothing', async () => {
  const error = { error: { message: 'You exceeded your current quota', code: 'insufficient_quota' } }
  const scene = await openScene(() => ({ ...token, chunks: [JSON.stringify(error)] }), { mayGenerate: true })
  scene.checker.change([scene.channel])
  scene.fail(0, 'upstream_quota')
  scene.clock.advance(30_000)
  await scene.checked(1)
  expect([scene.typeOf(0), scene.reports[0]?.cause === undefined]).toEqual(['open', false])
})

it('runs one check at a time with one key, and the next key does not wait for it', async () => {
  const gate = createGate()
  const scene = await openScene(async ({ headers }) => {
    if (headers.authorization === 'Bearer secret-one') await gate.opened
    return list
  })
  scene.checker.change([scene.channel])
  scene.fail(0, 'upstream_credential')
  scene.fail(1, 'upstream_credential')
  scene.clock.advance(30_000)
  await scene.checked(1)
  scene.clock.advance(9_000)
  expect(scene.receiver.requests.length).toBe(2)
  gate.open()
  await scene.checked(2)
})

it('gives up on a list that does not arrive in time, and on a running check when the channel is removed', async () => {
  const scene = await openScene(() => ({ ending: 'silence' }))
  scene.checker.change([scene.channel])
  scene.fail(0, 'upstream_credential')
  scene.clock.advance(30_000)
  await scene.receiver.request(0)
  scene.clock.advance(10_000)
  await scene.checked(1)
  expect(scene.reports[0]).toMatchObject({
    cause: 'the model list did not arrive in time',
    fact: { code: 'no_answer', values: { cause: 'timeout' } },
  })
  scene.clock.advance(30_000)
  const second = await scene.receiver.request(1)
  scene.checker.change([])
  await second.closed
  expect([scene.reports.length, scene.checker.reports(), scene.clock.pendingTimers]).toEqual([1, [], 0])
})
