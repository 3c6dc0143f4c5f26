import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { channelYaml } from '../support/channel-yaml.ts'
import { countAccepted } from '../support/count-accepted.ts'
import { createGate } from '../support/gate.ts'
import { sampleStreams } from '../support/sample-streams.ts'
import {
  jsonAnswer,
  openScriptedUpstream,
  type ScriptedUpstream,
  sseAnswer,
} from '../support/scripted-upstream.ts'
import { callChat, type SeenAnswer } from '../support/slow-caller.ts'
import { type StartedWorkers, startWorkers, workerKey } from '../support/start-workers.ts'
import { until, untilAsync } from '../support/until.ts'

const spender = 'sk-budget-0123456789abcdef'
const whole = {
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 },
}
const { frames } = sampleStreams.chat
/** The end of a stream that nothing has cut. */
const isIntact = ({ isWhole, body }: SeenAnswer) => isWhole && body.trimEnd().endsWith('data: [DONE]')
const portOf = (url: string) => Number(new URL(url).port)
const nodesSchema = z.object({ data: z.array(z.looseObject({ name: z.string(), streams: z.number() })) })

let upstream: ScriptedUpstream
let workers: StartedWorkers
let gate = createGate()

beforeAll(async () => {
  upstream = await openScriptedUpstream(({ body }) =>
    body.includes('"stream":true')
      ? sseAnswer([...frames.slice(0, 3), gate.opened, ...frames.slice(3)])
      : jsonAnswer(whole),
  )
  const channel = channelYaml({ name: 'first', format: 'chat', origin: upstream.origin, models: ['m'] })
  workers = await startWorkers(`${channel}models: { m: { price: { input: 0, output: 2 } } }\n`)
}, 120_000)

afterAll(async () => {
  gate.open()
  await workers?.[Symbol.asyncDispose]()
  await upstream?.close()
})

/** Opens streams that wait for the gate; fulfilled once each has begun. */
async function openStreams(count: number): Promise<readonly Promise<SeenAnswer>[]> {
  gate = createGate()
  let begun = 0
  const onBegun = () => {
    begun += 1
  }
  const answers = Array.from({ length: count }, () =>
    callChat(workers.url, { key: workerKey, stream: true, onBegun }),
  )
  await until('all streams have begun', () => begun === count, { deadlineMs: 30_000 })
  return answers
}

async function streamsOfWorkers(): Promise<readonly number[]> {
  const { data } = nodesSchema.parse(await workers.admin('GET', '/nodes'))
  return data.filter(({ name }) => name.startsWith('worker')).map(({ streams }) => streams)
}

/** The streams of each worker, once they have said that there are so many in all. */
async function untilSpread(streams: number): Promise<readonly number[]> {
  let spread: readonly number[] = []
  await untilAsync('the workers have said how many streams they have', async () => {
    spread = await streamsOfWorkers()
    return spread.reduce((sum, count) => sum + count, 0) === streams
  })
  return spread
}

it('streams spread evenly over the workers', async () => {
  const streams = await openStreams(40)
  const spread = await untilSpread(40)
  expect(spread).toHaveLength(2)
  for (const count of spread) expect(Math.abs(count - 20)).toBeLessThanOrEqual(2)
  gate.open()
  expect((await Promise.all(streams)).map(isIntact)).toEqual(streams.map(() => true))
})

it('a key that the admin API created works on every worker at once, and on none once it is revoked', async () => {
  const { id, secret } = z
    .looseObject({ id: z.string(), secret: z.string() })
    .parse(await workers.admin('POST', '/keys', { name: 'fresh', models: ['*'] }))
  const ask = async () => (await callChat(workers.url, { key: secret })).status
  expect(await Promise.all(Array.from({ length: 10 }, ask))).toEqual(Array.from({ length: 10 }, () => 200))
  await workers.admin('DELETE', `/keys/${id}`)
  expect(await Promise.all(Array.from({ length: 10 }, ask))).toEqual(Array.from({ length: 10 }, () => 401))
})

it('commands find the server after a change of the configuration, which every worker applies', async () => {
  const file = join(workers.folder, 'data', 'server.json')
  const before = readFileSync(file, 'utf8')
  await workers.admin('POST', '/models', { name: 'alias', targets: ['first/m'] })
  expect(readFileSync(file, 'utf8')).toBe(before)
})

it('an exact budget serves exactly as many of 1,000 requests as fit', async () => {
  // An answer costs 40,000 nano-dollars, so that 100 fit.
  const made = await workers.admin('POST', '/keys', {
    name: 'spender',
    models: ['*'],
    budgets: [{ limit_usd: 0.004, window: 'total', mode: 'exact', at_limit: 'refuse' }],
  })
  const key = z.string().parse(made['secret'])
  const counts = new Map<number, number>()
  const ask = async (count: number) => {
    for (let index = 0; index < count; index += 1) {
      const { status } = await callChat(workers.url, { key })
      counts.set(status, (counts.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: 40 }, () => ask(25)))
  expect(Object.fromEntries(counts)).toEqual({ 200: 100, 429: 900 })
})

it('a killed worker ends its own requests and no others, and is replaced', async () => {
  const streams = await openStreams(20)
  const spread = await untilSpread(20)
  const [killed = 0] = workers.pids('worker')
  process.kill(killed, 'SIGKILL')
  gate.open()
  const answers = await Promise.all(streams)
  expect(spread).toContain(answers.filter(isIntact).length)
  const after = await Promise.all(Array.from({ length: 10 }, () => callChat(workers.url, { key: workerKey })))
  expect(after.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
  const isReplaced = async () =>
    !workers.pids('worker').includes(killed) && (await streamsOfWorkers()).length === 2
  await untilAsync('another worker is there', isReplaced, { deadlineMs: 60_000 })
}, 90_000)

it('connections that a killed worker had not accepted yet are served by another one', async () => {
  const stopped = workers.pids('worker')
  const accepted = countAccepted(portOf(workers.url))
  for (const pid of stopped) process.kill(pid, 'SIGSTOP')
  const calls = Array.from({ length: 8 }, () => callChat(workers.url, { key: workerKey }))
  await until('all connections are accepted', () => countAccepted(portOf(workers.url)) === accepted + 8)
  for (const pid of stopped) process.kill(pid, 'SIGKILL')
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(calls.map(() => 200))
})

it('a restart under load fails no request and truncates no stream', async () => {
  const before = [...workers.pids('worker'), ...workers.pids('owner')]
  const streams = await openStreams(10)
  const failed: SeenAnswer[] = []
  let isOver = false
  let served = 0
  const load = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      const answer = await callChat(workers.url, { key: workerKey })
      if (answer.status === 200 && answer.isWhole) served += 1
      else failed.push(answer)
    }
  })
  await workers.restart()
  isOver = true
  await Promise.all(load)
  expect([failed, served > 0]).toEqual([[], true])
  gate.open()
  expect((await Promise.all(streams)).map(isIntact)).toEqual(streams.map(() => true))
  await until(
    'the old processes have ended',
    () => {
      const now = [...workers.pids('worker'), ...workers.pids('owner')]
      return before.every((pid) => !now.includes(pid))
    },
    { deadlineMs: 30_000 },
  )
}, 120_000)

async function scrape(): Promise<string> {
  return (await fetch(`${workers.url}/metrics`, { headers: { connection: 'close' } })).text()
}

async function countServed(): Promise<number> {
  const text = await scrape()
  return Number(/^headgate_requests_total\{[^}]*status="200"[^}]*\} (\d+)$/m.exec(text)?.[1] ?? 0)
}

it('the metrics cover all workers together', async () => {
  const { status } = await callChat(workers.url, { key: spender })
  expect(status).toBe(401)
  const before = await countServed()
  await Promise.all(Array.from({ length: 10 }, () => callChat(workers.url, { key: workerKey })))
  await untilAsync('all are counted', async () => (await countServed()) === before + 10)
})

/** The counters and the counts of histograms, by name and labels. */
function readSums(text: string): ReadonlyMap<string, number> {
  const lines = [...text.matchAll(/^(\w+_(?:total|count|sum|bucket)(?:\{.*\})?) (\S+)$/gm)]
  // Node's own gauges of active handles end with `_total` as well.
  const counters = lines.filter(([line]) => !line.startsWith('nodejs_active_'))
  return new Map(counters.map(([, name = '', value]) => [name, Number(value)]))
}

/** The sums of the first scrape that the second one lacks, or has with less. */
function listDecreases(before: string, after: string): readonly string[] {
  const now = readSums(after)
  return [...readSums(before)].filter(([name, sum]) => (now.get(name) ?? 0) < sum).map(([name]) => name)
}

it('no counter decreases when a worker dies, or all processes are replaced', async () => {
  const before = await countServed()
  await Promise.all(Array.from({ length: 20 }, () => callChat(workers.url, { key: workerKey })))
  await untilAsync('all are counted', async () => (await countServed()) === before + 20)
  const first = await scrape()
  expect(readSums(first).size).toBeGreaterThan(50)

  const [killed = 0] = workers.pids('worker')
  process.kill(killed, 'SIGKILL')
  const isGone = (pids: readonly number[]) =>
    [...workers.pids('worker'), ...workers.pids('owner')].every((pid) => !pids.includes(pid))
  await until('the worker has ended', () => isGone([killed]))
  const second = await scrape()
  expect(listDecreases(first, second)).toEqual([])

  await untilAsync('another worker is there', async () => (await streamsOfWorkers()).length === 2, {
    deadlineMs: 60_000,
  })
  await Promise.all(Array.from({ length: 20 }, () => callChat(workers.url, { key: workerKey })))
  const old = [...workers.pids('worker'), ...workers.pids('owner')]
  await workers.restart()
  await until('the old processes have ended', () => isGone(old), { deadlineMs: 30_000 })
  expect(listDecreases(second, await scrape())).toEqual([])
  expect(await countServed()).toBe(before + 40)
}, 120_000)
