// The effect of some of Node's options: the gateway with all of bin/node-options.json, without those that hold the word
// given, and the bare relay. `node bench/node-options.ts inlined` leaves out the three of decision 0015. Calls
// that come one at a time, the order of the three drawn for each: what is added before the first token at an
// upstream that takes 20 ms. Then many at once: processor time of a request.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Pool } from 'undici'
import nodeOptions from '../bin/node-options.json' with { type: 'json' }
import { describeRun } from './describe-run.ts'
import { writeHeadgateConfiguration } from './headgate-configuration.ts'
import { runLoad } from './load.ts'
import { makeBody } from './make-body.ts'
import { median } from './median.ts'
import { timeToMarker } from './paired-latency.ts'
import { processorTimeUs, residentBytes } from './processor-time.ts'
import { type StartedProcess, startProcess } from './start-process.ts'

const LEFT_OUT = process.argv[2]
const CALLS = Number(process.env['BENCH_PAIRS'] ?? 201)
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 25)
const WARM_UP_REQUESTS = 20_000
const SECOND_WARM_UP_REQUESTS = 5_000
/** The time in which idle connections to the upstream close, which throws compiled code away once. */
const CLOSING_MS = 35_000
const UPSTREAM_DELAY_MS = 20
const FRAMES = 2
const FIRST_CALLS = 10
const AT_ONCE = 8
const REQUESTS = 400
const FIRST_TOKEN = '"content":" '
const PATH = '/v1/chat/completions'
const key = 'bench-key-000-0123456789abcdef'
const streamed = makeBody(1, true)
const whole = makeBody(1, false)

interface Subject {
  readonly name: string
  /** Undefined where the upstream is asked directly. */
  readonly pid: number | undefined
  readonly origin: string
  readonly timesMs: number[]
  readonly costsUs: number[]
}

if (LEFT_OUT === undefined) throw new Error('say which options to leave out, by a word that their names hold')
const remaining = nodeOptions.filter((option) => !option.includes(LEFT_OUT))
if (remaining.length === nodeOptions.length) throw new Error(`no option of Headgate holds "${LEFT_OUT}"`)
const folder = mkdtempSync(join(tmpdir(), 'headgate-options-'))
const started: StartedProcess[] = []
try {
  const slow = await openMock(UPSTREAM_DELAY_MS)
  const fast = await openMock(0)
  const oneByOne = [
    await openGateway('all options', nodeOptions, slow),
    await openGateway(`without ${LEFT_OUT}`, remaining, slow),
    await openRelay(slow),
  ]
  const manyAtOnce = [
    await openGateway('all options', nodeOptions, fast),
    await openGateway(`without ${LEFT_OUT}`, remaining, fast),
    await openRelay(fast),
  ]
  for (const subject of [...oneByOne, ...manyAtOnce]) await load(subject, WARM_UP_REQUESTS)
  await setTimeout(CLOSING_MS)
  for (const subject of [...oneByOne, ...manyAtOnce]) await load(subject, SECOND_WARM_UP_REQUESTS)
  const direct = createSubject('direct', undefined, slow)
  await measureTimes([direct, ...oneByOne])
  await measureCosts(manyAtOnce)
  report(direct, oneByOne, manyAtOnce)
} finally {
  await Promise.all(started.map((one) => one.stop()))
  rmSync(folder, { recursive: true, force: true })
}

function createSubject(name: string, pid: number | undefined, origin: string): Subject {
  return { name, pid, origin, timesMs: [], costsUs: [] }
}

async function start(
  core: number,
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<StartedProcess> {
  const one = await startProcess({ core, args, environment })
  started.push(one)
  return one
}

async function openMock(delayMs: number): Promise<string> {
  const mock = await start(1, ['bench/mock-upstream.ts'], {
    FRAMES: String(FRAMES),
    DELAY_MS: String(delayMs),
  })
  return `http://127.0.0.1:${mock.firstLine}`
}

async function openGateway(name: string, options: readonly string[], upstream: string): Promise<Subject> {
  const own = mkdtempSync(join(folder, 'subject-'))
  const file = join(own, 'headgate.yaml')
  writeFileSync(file, writeHeadgateConfiguration({ level: 'everything', upstream, folder: own, keys: [key] }))
  const gateway = await start(0, [...options, 'bench/headgate.ts', file])
  return createSubject(name, gateway.pid, `http://127.0.0.1:${gateway.firstLine}`)
}

async function openRelay(upstream: string): Promise<Subject> {
  const relay = await start(0, ['bench/bare-relay.ts', upstream])
  return createSubject('bare relay', relay.pid, `http://127.0.0.1:${relay.firstLine}`)
}

async function load({ origin }: Subject, requests: number): Promise<void> {
  for (const body of [whole, streamed])
    await runLoad({ origin, path: PATH, key, body, concurrency: 64, requests: requests / 2 })
}

async function measureTimes(subjects: readonly Subject[]): Promise<void> {
  const pools = new Map(subjects.map((subject) => [subject, new Pool(subject.origin, { connections: 1 })]))
  for (let call = -FIRST_CALLS; call < CALLS; call += 1) {
    for (const subject of shuffle(subjects)) {
      const pool = pools.get(subject)
      if (pool === undefined) continue
      const headers = { authorization: `Bearer ${key}` }
      const timeMs = await timeToMarker(pool, { path: PATH, body: streamed, headers, marker: FIRST_TOKEN })
      if (call >= 0) subject.timesMs.push(timeMs)
      // The work of a gateway after an answer must not run into the next one's call.
      await setTimeout(3)
    }
  }
  await Promise.all([...pools.values()].map((pool) => pool.destroy()))
}

async function measureCosts(subjects: readonly Subject[]): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const subject of shuffle(subjects)) {
      const { origin, pid } = subject
      if (pid === undefined) continue
      const call = { origin, path: PATH, key, body: whole, concurrency: AT_ONCE }
      await runLoad({ ...call, requests: REQUESTS / 2 })
      const before = processorTimeUs(pid)
      await runLoad({ ...call, requests: REQUESTS })
      subject.costsUs.push((processorTimeUs(pid) - before) / REQUESTS)
    }
  }
}

/**
 * Shuffles the order, since a program that is asked just after another finds more of the same program in the caches.
 */
function shuffle<Item>(items: readonly Item[]): readonly Item[] {
  return items
    .map((item) => ({ item, position: Math.random() }))
    .toSorted((left, right) => left.position - right.position)
    .map(({ item }) => item)
}

function report(direct: Subject, oneByOne: readonly Subject[], manyAtOnce: readonly Subject[]): void {
  process.stdout.write(`${describeRun()}, ${CALLS} calls, ${ROUNDS} rounds, 1 KB\n\n`)
  process.stdout.write(
    '| | added before the first token, ms | processor time of a request, µs | share | resident, MB |\n',
  )
  process.stdout.write('| --- | --- | --- | --- | --- |\n')
  const base = manyAtOnce[1]?.costsUs ?? []
  for (const [position, { name, timesMs }] of oneByOne.entries()) {
    const { costsUs = [], pid = 0 } = manyAtOnce[position] ?? {}
    const added = median(timesMs.map((timeMs, call) => timeMs - (direct.timesMs[call] ?? Number.NaN)))
    const share = median(costsUs.map((costUs, round) => costUs / (base[round] ?? Number.NaN)))
    const resident = residentBytes(pid) / 1024 / 1024
    process.stdout.write(
      `| ${name} | ${added.toFixed(2)} | ${median(costsUs).toFixed(0)} | ${share.toFixed(2)} | ${resident.toFixed(0)} |\n`,
    )
  }
}
