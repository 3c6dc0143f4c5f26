// Hostile callers and upstreams beside good traffic. First each attack by itself, then all of them mixed for
// ten minutes at a rate that leaves the gateway's core at most 80 % busy. ATTACK_SECONDS shortens the mixed
// part; SEED repeats it.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { processorTimeUs, residentBytes } from '../../bench/processor-time.ts'
import { showsNoControlCharacters } from './attack/check-shown-logs.ts'
import { type GoodFigures, openGoodUpstream, runGoodTraffic } from './attack/good-traffic.ts'
import { attacks, type Target } from './attack/hostile-callers.ts'
import { goodKey, hostileKey, openAttackedGateway } from './attack/open-attacked-gateway.ts'
import type { Order, Report } from './attack/run-attackers.ts'

const SECONDS = Number(process.env['ATTACK_SECONDS'] ?? 600)
const CALM_SECONDS = Math.min(60, SECONDS)
const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
const MAX_BUSY = 0.8
const AIMED_BUSY = 0.72
const MAX_STALL_MS = 200
const MAX_RSS_RATIO = 1.3
const MAX_P99_MS = 250
const MAX_P99_RATIO = 5

const failures: string[] = []
const attackers = await openAttackers()
const goodUpstream = await openGoodUpstream()
const gateway = await openAttackedGateway({ good: goodUpstream.origin, hostile: attackers.origin })
const target: Target = { port: gateway.port, adminPort: gateway.adminPort, key: hostileKey }
try {
  const calm = await trafficFor(CALM_SECONDS)
  describe('good traffic before', calm)
  await settle()
  const before = { rss: residentBytes(gateway.pid), descriptors: gateway.openDescriptors() }
  await eachByItself()
  await gateway.longestStallMs()
  const mixed = await underAttack()
  await settle()
  const after = { rss: residentBytes(gateway.pid), descriptors: gateway.openDescriptors() }
  judge(calm, mixed, before, after)
} finally {
  await gateway.close()
  attackers.kill()
  goodUpstream.close()
}
for (const failure of failures) process.stdout.write(`attack FAILED: ${failure}\n`)
if (failures.length > 0) process.exitCode = 1

/** Each attack alone: what was seen, and the longest stall that it caused. */
async function eachByItself(): Promise<void> {
  let expected = 0
  for (const { name } of attacks) {
    await gateway.longestStallMs()
    await wait(30)
    const { wrong } = await attackers.order({ type: 'one', name, target, ...roundsOf(name) })
    const stallMs = await gateway.longestStallMs()
    if (gateway.hasEnded()) throw new Error(`the gateway ended: ${name}`)
    const isLong = stallMs > MAX_STALL_MS
    if (wrong.length > 0) failures.push(`${name}: ${wrong[0]}`)
    if (isLong) failures.push(`${name}: the event loop stood still for ${stallMs.toFixed(0)} ms`)
    if (wrong.length === 0 && !isLong) expected += 1
    process.stdout.write(
      `  ${name}: ${wrong.length === 0 ? 'as expected' : 'NOT as expected'}, longest stall ${stallMs.toFixed(0)} ms, RSS ${megabytes(residentBytes(gateway.pid))} MB\n`,
    )
  }
  const isClean = await showsNoControlCharacters(gateway.dataFolder)
  if (!isClean) failures.push('headgate logs shows control characters of an upstream')
  process.stdout.write(
    `attacks one by one: ${expected} of ${attacks.length} as expected; shown logs ${isClean ? 'hold' : 'DO NOT hold'}\n`,
  )
}

function roundsOf(name: string): { count: number; atOnce: number } {
  if (name.startsWith('stream of 110 MB')) return { count: 8, atOnce: 8 }
  if (name.startsWith('pipelined')) return { count: 40, atOnce: 20 }
  if (name.includes('reset')) return { count: 200, atOnce: 10 }
  return { count: 2, atOnce: 1 }
}

interface Mixed {
  readonly good: GoodFigures
  readonly busy: number
  readonly busiest: number
  readonly done: number
  readonly stallMs: number
  readonly wrong: readonly string[]
}

/** The rate follows how busy the gateway is, so that what is measured is its fairness and not a queue without end. */
async function underAttack(): Promise<Mixed> {
  const stop = new AbortController()
  const traffic = runGoodTraffic(gateway.port, goodKey, stop.signal)
  const wrong: string[] = []
  let perSecond = 5
  let done = 0
  let busiest = 0
  const startedUs = processorTimeUs(gateway.pid)
  const startedAtMs = performance.now()
  let seen = await attackers.order({ type: 'mixed', perSecond, seed: SEED, target })
  const doneBefore = seen.done
  while (performance.now() - startedAtMs < SECONDS * 1_000 && !gateway.hasEnded()) {
    const busy = await busyFor(5_000)
    busiest = Math.max(busiest, busy)
    perSecond = Math.max(1, Math.min(400, perSecond * Math.min(1.3, AIMED_BUSY / Math.max(busy, 0.01))))
    seen = await attackers.order({ type: 'mixed', perSecond, seed: SEED, target })
    wrong.push(...seen.wrong)
  }
  done = seen.done - doneBefore
  if (gateway.hasEnded()) throw new Error('the gateway ended under attack')
  const elapsedUs = (performance.now() - startedAtMs) * 1_000
  const busy = (processorTimeUs(gateway.pid) - startedUs) / elapsedUs
  const stallMs = await gateway.longestStallMs()
  stop.abort()
  await attackers.order({ type: 'stop' })
  return { good: await traffic, busy, busiest, done, stallMs, wrong }
}

function judge(
  calm: GoodFigures,
  { good, busy, busiest, done, stallMs, wrong }: Mixed,
  before: { rss: number; descriptors: number },
  after: { rss: number; descriptors: number },
): void {
  describe('good traffic under attack', good)
  const limitMs = Math.max(MAX_P99_MS, MAX_P99_RATIO * calm.p99Ms)
  const ratio = after.rss / before.rss
  process.stdout.write(
    `attack (seed ${SEED}): ${done} attacks in ${SECONDS} s, ${(done / SECONDS).toFixed(1)} a second; the gateway's core ${(busy * 100).toFixed(0)} % busy (busiest 5 s ${(busiest * 100).toFixed(0)} %); good p99 ${good.p99Ms.toFixed(1)} ms (limit ${limitMs.toFixed(0)}); longest stall ${stallMs.toFixed(0)} ms (limit ${MAX_STALL_MS}); RSS ${megabytes(before.rss)} to ${megabytes(after.rss)} MB, ratio ${ratio.toFixed(2)} (limit ${MAX_RSS_RATIO}); descriptors ${before.descriptors} to ${after.descriptors}; not as expected ${wrong.length}\n`,
  )
  if (good.answered !== good.asked)
    failures.push(`${good.asked - good.answered} good requests not answered: ${good.wrong.join(' | ')}`)
  if (good.p99Ms > limitMs) failures.push('good traffic was slow')
  if (stallMs > MAX_STALL_MS) failures.push('the event loop stood still')
  if (ratio > MAX_RSS_RATIO) failures.push('memory was not given back')
  if (after.descriptors > before.descriptors) failures.push('descriptors leaked')
  if (busy > MAX_BUSY) failures.push('the attack left too little of the core to judge by')
  failures.push(...wrong.slice(0, 10))
}

function describe(what: string, { asked, answered, p50Ms, p99Ms, slowestMs }: GoodFigures): void {
  process.stdout.write(
    `${what}: ${answered} of ${asked} answered, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, slowest ${slowestMs.toFixed(0)} ms\n`,
  )
}

async function trafficFor(seconds: number): Promise<GoodFigures> {
  const stop = new AbortController()
  setTimeout(() => stop.abort(), seconds * 1_000)
  return runGoodTraffic(gateway.port, goodKey, stop.signal)
}

async function busyFor(ms: number): Promise<number> {
  const fromUs = processorTimeUs(gateway.pid)
  const fromMs = performance.now()
  await wait(ms)
  if (gateway.hasEnded()) return 0
  return (processorTimeUs(gateway.pid) - fromUs) / ((performance.now() - fromMs) * 1_000)
}

/** Idle connections are closed and the store is written before memory and descriptors are read. */
async function settle(): Promise<void> {
  await wait(15_000)
  await gateway.collectGarbage()
}

function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(0)
}

/** The process of `attack/run-attackers.ts`: one order at a time, each answered by a report. */
async function openAttackers() {
  const file = new URL('attack/run-attackers.ts', import.meta.url).pathname
  const child = spawn('taskset', ['-c', '1', process.execPath, file], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => {
    const { value, done } = await lines.next()
    if (done === true) throw new Error('the attackers ended')
    return String(value)
  }
  const origin = await next()
  return {
    origin,
    async order(order: Order): Promise<Report> {
      child.stdin.write(`${JSON.stringify(order)}\n`)
      return JSON.parse(await next())
    },
    kill: () => void child.kill('SIGKILL'),
  }
}
