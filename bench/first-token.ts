// What is added before the first token of a stream, beside a bare relay: an upstream that takes 20 ms, one call at a
// time, through the relay, through Headgate with five exact budgets, limits, log and rows, and without a gateway, the
// first of the three drawn for each round. The median of the paired differences, and the slowest call of a hundred.
// node bench/first-token.ts; CALLS by the environment.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Pool } from 'undici'
import nodeOptions from '../bin/node-options.json' with { type: 'json' }
import { accountedConfiguration } from './accounted-configuration.ts'
import { describeRun } from './describe-run.ts'
import { runLoad } from './load.ts'
import { makeBody } from './make-body.ts'
import { median, quantile } from './median.ts'
import { timeToMarker, WARM_UP_PAIRS } from './paired-latency.ts'
import { processorTimeUs } from './processor-time.ts'
import { type StartedProcess, startProcess } from './start-process.ts'
import { untilWarm } from './until-warm.ts'

const CALLS = Number(process.env['CALLS'] ?? 301)
const UPSTREAM_DELAY_MS = 20
const FRAMES = 5
/** The work of a gateway after an answer must not run into the next one's call. */
const PAUSE_MS = 3
const MIN_WARM_UP_BATCHES = 8
const P99_LIMIT = 2
const FIRST_TOKEN = '"content":" '
const PATH = '/v1/chat/completions'
const KEY = 'bench-key-0123456789abcdef'
const sizes = [
  { kilobytes: 1, limitMs: 0.25, concurrency: 64, requests: 2_000 },
  { kilobytes: 64, limitMs: 0.25, concurrency: 8, requests: 500 },
  { kilobytes: 400, limitMs: 0.35, concurrency: 8, requests: 200 },
].map((size) => ({ ...size, body: makeBody(size.kilobytes, true) }))
type Size = (typeof sizes)[number]

interface Subject {
  readonly name: 'direct' | 'relay' | 'headgate'
  readonly origin: string
  /** Undefined where the upstream is asked directly. */
  readonly pid: number | undefined
}

const folder = mkdtempSync(join(tmpdir(), 'headgate-bench-'))
const started: StartedProcess[] = []
try {
  const mock = await start(1, ['bench/mock-upstream.ts'], {
    FRAMES: String(FRAMES),
    DELAY_MS: String(UPSTREAM_DELAY_MS),
  })
  const upstream = `http://127.0.0.1:${mock.firstLine}`
  const subjects = [
    { name: 'direct' as const, origin: upstream, pid: undefined },
    subject('relay', await start(0, ['bench/bare-relay.ts', upstream])),
    subject('headgate', await openHeadgate(upstream)),
  ]
  for (const one of subjects) await warmUp(one)
  process.stdout.write(
    `${describeRun()}, ${CALLS} calls.\n\n| request | relay adds, ms | Headgate adds, ms | more than the relay, ms | quartiles | limit | 99 of 100 through the relay add less than, ms | through Headgate, ms | ratio | limit |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n`,
  )
  for (const size of sizes) report(size, await measure(size, subjects))
} finally {
  await Promise.all(started.map((one) => one.stop()))
  rmSync(folder, { recursive: true, force: true })
}

function subject(name: 'relay' | 'headgate', { firstLine, pid }: StartedProcess): Subject {
  return { name, origin: `http://127.0.0.1:${firstLine}`, pid }
}

async function start(core: number, args: readonly string[], environment: Record<string, string> = {}) {
  const one = await startProcess({ core, args, environment })
  started.push(one)
  return one
}

function openHeadgate(upstream: string): Promise<StartedProcess> {
  const file = join(folder, 'headgate.yaml')
  const data = join(folder, 'data')
  writeFileSync(file, accountedConfiguration({ accounting: 'exact', upstream, data, hasLargeBodies: true }))
  return start(0, [...nodeOptions, 'bench/headgate.ts', file])
}

async function warmUp({ origin, pid }: Subject): Promise<void> {
  if (pid === undefined) return
  for (const { body, concurrency, requests } of sizes)
    await untilWarm(async () => {
      const beforeUs = processorTimeUs(pid)
      const { failures } = await runLoad({ origin, path: PATH, key: KEY, body, concurrency, requests })
      if (failures > 0) throw new Error(`${failures} of ${requests} requests failed`)
      return processorTimeUs(pid) - beforeUs
    }, MIN_WARM_UP_BATCHES)
}

type Times = Record<Subject['name'], number[]>

async function measure({ body }: Size, subjects: readonly Subject[]): Promise<Times> {
  const pools = subjects.map(({ name, origin }) => ({ name, pool: new Pool(origin, { connections: 1 }) }))
  const times: Times = { direct: [], relay: [], headgate: [] }
  const headers = { authorization: `Bearer ${KEY}` }
  for (let call = -WARM_UP_PAIRS; call < CALLS; call += 1) {
    // A program that is asked just after another finds what both use in the caches.
    const first = Math.floor(Math.random() * pools.length)
    for (const { name, pool } of [...pools.slice(first), ...pools.slice(0, first)]) {
      const timeMs = await timeToMarker(pool, { path: PATH, body, headers, marker: FIRST_TOKEN })
      if (call >= 0) times[name].push(timeMs)
      await setTimeout(PAUSE_MS)
    }
  }
  await Promise.all(pools.map(({ pool }) => pool.destroy()))
  return times
}

function report({ kilobytes, limitMs }: Size, { direct, relay, headgate }: Times): void {
  const added = [relay, headgate].map((times) => median(differences(times, direct)).toFixed(2))
  const more = differences(headgate, relay)
  const quartiles = [0.25, 0.75].map((share) => quantile(more, share).toFixed(2)).join('–')
  const upstreamMs = median(direct)
  const relayP99 = quantile(relay, 0.99) - upstreamMs
  const ownP99 = quantile(headgate, 0.99) - upstreamMs
  const ratio = ownP99 / relayP99
  const cells = [
    `${kilobytes} KB`,
    ...added,
    median(more).toFixed(2),
    quartiles,
    `${limitMs}, ${median(more) <= limitMs ? 'met' : 'missed'}`,
    ...[relayP99, ownP99].map((timeMs) => timeMs.toFixed(1)),
    ratio.toFixed(2),
    `${P99_LIMIT}, ${ratio <= P99_LIMIT ? 'met' : 'missed'}`,
  ]
  process.stdout.write(`| ${cells.join(' | ')} |\n`)
}

function differences(times: readonly number[], others: readonly number[]): number[] {
  return times.map((timeMs, call) => timeMs - (others[call] ?? Number.NaN))
}
