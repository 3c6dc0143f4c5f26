// CPU of the gateway per request and per streamed chunk, as a ratio to a bare relay of the same parts, in interleaved
// rounds of one run: as it starts without a setting, and with prices, five exact budgets and rate limits.
// BENCH_ANSWER_MS=20 BENCH_CONCURRENCY=64 measures at a provider that takes some time.
// `npm run bench`; results go to bench/results/.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import nodeOptions from '../bin/node-options.json' with { type: 'json' }
import { accountedConfiguration } from './accounted-configuration.ts'
import { describeRun } from './describe-run.ts'
import { type LoadResult, runLoad } from './load.ts'
import { makeBody } from './make-body.ts'
import { makeConversation } from './make-conversation.ts'
import { median, quantile } from './median.ts'
import { processorTimeUs } from './processor-time.ts'
import { type StartedProcess, startProcess } from './start-process.ts'
import { untilWarm } from './until-warm.ts'

type SubjectName = 'relay' | 'plain' | 'budgets'

interface Subject {
  readonly name: SubjectName
  readonly origin: string
  readonly process: StartedProcess
}

interface Scenario {
  readonly name: string
  readonly unit: 'request' | 'chunk'
  /** The request that callers of the gateway send. */
  readonly asked: Asked
  /** The request that callers of the relay send, where it is another. */
  readonly askedOfRelay?: Asked
  readonly requests: number
  readonly concurrency: number
  /** Units in one request. */
  readonly unitsPerRequest: number
  readonly limits: Readonly<Record<'plain' | 'budgets', number>>
}

interface Asked {
  readonly path: string
  readonly body: Buffer
}

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 9)
/** The time after which the provider answers; 0 for a provider that answers at once, as none does. */
const ANSWER_MS = Number(process.env['BENCH_ANSWER_MS'] ?? 0)
/** Requests for whole answers at one time. A commit of the ledger has the intents of all of them. */
const CONCURRENCY = Number(process.env['BENCH_CONCURRENCY'] ?? 8)
const FRAMES = 300
/** Requests of one kind have V8 compile again what it has compiled for another, so that all kinds come twice. */
const WARM_UP_PASSES = 2
const MIN_WARM_UP_SECONDS = 4
/** Idle connections close in this time, which happens in the life of every process. */
const REST_MS = 35_000
const KEY = 'bench-key-0123456789abcdef'
const CHAT = '/v1/chat/completions'

const conversation = makeConversation(1)

const scenarios: readonly Scenario[] = [
  {
    name: 'whole, 1 KB request',
    unit: 'request',
    asked: { path: CHAT, body: makeBody(1, false) },
    requests: 3_000,
    concurrency: CONCURRENCY,
    unitsPerRequest: 1,
    limits: { plain: 1.8, budgets: 2.2 },
  },
  {
    name: 'whole, 64 KB request',
    unit: 'request',
    asked: { path: CHAT, body: makeBody(64, false) },
    requests: 1_000,
    concurrency: CONCURRENCY,
    unitsPerRequest: 1,
    limits: { plain: 1.5, budgets: 1.5 },
  },
  {
    name: 'whole, 400 KB request',
    unit: 'request',
    asked: { path: CHAT, body: makeBody(400, false) },
    requests: 1_000,
    concurrency: CONCURRENCY,
    unitsPerRequest: 1,
    limits: { plain: 1.3, budgets: 1.3 },
  },
  {
    name: 'stream, verbatim',
    unit: 'chunk',
    asked: { path: CHAT, body: makeBody(1, true) },
    requests: 64,
    concurrency: 32,
    unitsPerRequest: FRAMES,
    limits: { plain: 1.2, budgets: 1.2 },
  },
  {
    name: 'stream, messages caller, chat channel',
    unit: 'chunk',
    asked: { path: '/v1/messages', body: Buffer.from(JSON.stringify(conversation.messages)) },
    askedOfRelay: { path: CHAT, body: Buffer.from(JSON.stringify(conversation.chat)) },
    requests: 64,
    concurrency: 32,
    unitsPerRequest: FRAMES,
    limits: { plain: 1.4, budgets: 1.4 },
  },
]

const folder = mkdtempSync(join(tmpdir(), 'headgate-bench-'))
const started: StartedProcess[] = []
try {
  const subjects = await startSubjects()
  await warmUp(subjects)
  const rows = []
  for (const scenario of scenarios) rows.push(await measure(scenario, subjects))
  report(rows)
} finally {
  await Promise.all(started.map((one) => one.stop()))
  rmSync(folder, { recursive: true, force: true })
}

async function startSubjects(): Promise<readonly Subject[]> {
  const mock = await start(1, ['bench/mock-upstream.ts'], {
    FRAMES: String(FRAMES),
    ROUGH_DELAY_MS: String(ANSWER_MS),
  })
  const upstream = `http://127.0.0.1:${mock.firstLine}`
  const relay = await start(0, ['bench/bare-relay.ts', upstream])
  const plain = await openHeadgate('none', upstream)
  const budgets = await openHeadgate('exact', upstream)
  return [
    { name: 'relay', origin: `http://127.0.0.1:${relay.firstLine}`, process: relay },
    { name: 'plain', origin: `http://127.0.0.1:${plain.firstLine}`, process: plain },
    { name: 'budgets', origin: `http://127.0.0.1:${budgets.firstLine}`, process: budgets },
  ]
}

function openHeadgate(accounting: 'none' | 'exact', upstream: string): Promise<StartedProcess> {
  const config = join(folder, `${accounting}.yaml`)
  writeFileSync(
    config,
    accountedConfiguration({ accounting, upstream, data: join(folder, accounting), hasLargeBodies: true }),
  )
  // The options are those of `npm start`.
  return start(0, [...nodeOptions, 'bench/headgate.ts', config])
}

async function start(core: number, args: readonly string[], environment: Record<string, string> = {}) {
  const one = await startProcess({ core, args, environment })
  started.push(one)
  return one
}

async function warmUp(subjects: readonly Subject[]): Promise<void> {
  for (let pass = 0; pass < WARM_UP_PASSES; pass += 1) {
    if (pass > 0) await setTimeout(REST_MS)
    for (const subject of subjects)
      for (const scenario of scenarios)
        await untilWarm(() => costOfOneSecond(scenario, subject), MIN_WARM_UP_SECONDS)
  }
}

/** Microseconds of processor time a request. */
async function costOfOneSecond(scenario: Scenario, subject: Subject): Promise<number> {
  const endsAtMs = performance.now() + 1_000
  const beforeUs = processorTimeUs(subject.process.pid)
  let requests = 0
  while (performance.now() < endsAtMs) {
    await load(scenario, subject, scenario.requests)
    requests += scenario.requests
  }
  return (processorTimeUs(subject.process.pid) - beforeUs) / requests
}

async function load(scenario: Scenario, subject: Subject, requests: number): Promise<LoadResult> {
  const result = await runLoad({
    origin: subject.origin,
    key: KEY,
    ...(subject.name === 'relay' ? (scenario.askedOfRelay ?? scenario.asked) : scenario.asked),
    concurrency: scenario.concurrency,
    requests,
  })
  if (result.failures > 0) throw new Error(`${subject.name}: ${result.failures} of ${requests} failed`)
  return result
}

async function measure(scenario: Scenario, subjects: readonly Subject[]) {
  const costs: Record<SubjectName, number[]> = { relay: [], plain: [], budgets: [] }
  for (let round = 0; round < ROUNDS; round += 1) {
    const order = round % 2 === 0 ? subjects : subjects.toReversed()
    for (const subject of order) {
      const before = processorTimeUs(subject.process.pid)
      await load(scenario, subject, scenario.requests)
      const spentUs = processorTimeUs(subject.process.pid) - before
      costs[subject.name].push(spentUs / (scenario.requests * scenario.unitsPerRequest))
    }
  }
  return {
    scenario: scenario.name,
    unit: scenario.unit,
    relayUs: median(costs.relay),
    plain: compare(costs.plain, costs.relay, scenario.limits.plain),
    budgets: compare(costs.budgets, costs.relay, scenario.limits.budgets),
  }
}

function compare(own: readonly number[], relay: readonly number[], limit: number) {
  const ratios = own.map((cost, round) => cost / (relay[round] ?? Number.NaN))
  const quartiles = [quantile(ratios, 0.25), quantile(ratios, 0.75)]
  return { us: median(own), ratio: median(ratios), quartiles, limit }
}

function report(rows: readonly Awaited<ReturnType<typeof measure>>[]): void {
  const run = describeRun()
  const lines = rows.flatMap(({ scenario, unit, relayUs, plain, budgets }) =>
    [
      { name: 'as it starts', ...plain },
      { name: 'five exact budgets', ...budgets },
    ].map(
      ({ name, us, ratio, quartiles, limit }) =>
        `| ${scenario} | ${name} | ${unit} | ${relayUs.toFixed(1)} | ${us.toFixed(1)} | ${ratio.toFixed(2)} | ${quartiles.map((value) => value.toFixed(2)).join('–')} | ${limit.toFixed(1)}, ${ratio <= limit ? 'met' : 'missed'} |`,
    ),
  )
  const text = [
    `${run}, ${ROUNDS} interleaved rounds, median of each round's ratio, ${CONCURRENCY} requests for whole answers at a time, answered ${ANSWER_MS === 0 ? 'at once' : `after ${ANSWER_MS} ms`}. Keys, ledger, log, request log and metrics are on in both.`,
    '',
    '| scenario | Headgate | per | bare relay, µs CPU | Headgate, µs CPU | ratio | quartiles | limit |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ...lines,
    '',
  ].join('\n')
  process.stdout.write(text)
  mkdirSync('bench/results', { recursive: true })
  writeFileSync('bench/results/processor-time.md', text)
  writeFileSync(
    'bench/results/processor-time.json',
    `${JSON.stringify({ run, rounds: ROUNDS, rows }, null, 2)}\n`,
  )
}
