// The cost of accounting: one gateway with prices, five budgets, rate limits and its ledger, beside the same without
// prices, budgets and limits, in interleaved rounds of one run; then what it adds to the first token of a stream, in
// pairs. Results go to bench/results/accounting.{md,json}.
// BENCH_ANSWER_MS=20 BENCH_CONCURRENCY=128 measures the cost at a provider that takes some time.
// node bench/accounting.ts [FOLDER], where FOLDER is a clone of a commit without a ledger, with its packages installed.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { accountedConfiguration } from './accounted-configuration.ts'
import { describeRun } from './describe-run.ts'
import { runLoad } from './load.ts'
import { makeBody } from './make-body.ts'
import { median, quantile } from './median.ts'
import { type Added, measurePairs, summarizePairs } from './paired-latency.ts'
import { processorTimeUs } from './processor-time.ts'
import { readNodeOptions } from './read-node-options.ts'
import { type StartedProcess, startProcess } from './start-process.ts'
import { untilWarm } from './until-warm.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 12)
/** Each process has its own luck with memory and compilers, which no number of rounds evens out. */
const STARTS = Number(process.env['BENCH_STARTS'] ?? 5)
const REQUESTS = 2_000
/** V8 compiles what serves requests in the first seconds; then costs are measured until they no longer fall. */
const MIN_WARM_UP_SECONDS = 8
/** Idle connections close while the others get warm, and V8 compiles again what was compiled for them. */
const WARM_UP_PASSES = 2
const STREAM_WARM_UP_REQUESTS = 15_000
const CONCURRENCY = Number(process.env['BENCH_CONCURRENCY'] ?? 64)
/** Pairs of all starts together. With 400 pairs, the median moves by 0.025 ms from run to run. */
const PAIRS = 1_600
/** The time to the first token of a model that answers fast. A budget's intent is on the disk long before that. */
const FIRST_TOKEN_MS = 20
/** The time that an answer takes while the cost is measured; 0 for a provider that answers at once, as none does. */
const ANSWER_MS = Number(process.env['BENCH_ANSWER_MS'] ?? 0)
/** The highest ratio of processor time with accounting to without. */
const RATIO_LIMIT = 1.15
const FIRST_TOKEN_LIMIT_MS = 0.1
const KEY = 'bench-key-0123456789abcdef'
const NONE = 'no prices, budgets, limits'
const PATH = '/v1/chat/completions'

interface Subject {
  readonly name: string
  readonly clone: string
  /** Exact budgets, budgets that are only estimated, or no accounting. */
  readonly accounting: 'exact' | 'estimate' | 'none'
}

interface MeasuredSubject extends Subject {
  /** Microseconds of processor time a request, of each round of each start. */
  readonly costs: number[]
}

interface StartedSubject extends MeasuredSubject {
  readonly process: StartedProcess
  readonly origin: string
}

const before = process.argv[2]
if (before !== undefined && !existsSync(join(before, 'bench/headgate.ts'))) {
  process.stderr.write('Give the folder of a clone: node bench/accounting.ts [FOLDER]\n')
  process.exit(2)
}
const here = resolve('.')
const budgeted: readonly Subject[] = [
  { name: 'five exact budgets', clone: here, accounting: 'exact' },
  { name: 'five estimated budgets', clone: here, accounting: 'estimate' },
]
const subjects: readonly Subject[] = [
  ...budgeted,
  { name: NONE, clone: here, accounting: 'none' },
  ...(before === undefined
    ? []
    : [{ name: 'the commit before', clone: resolve(before), accounting: 'none' as const }]),
]

const folder = mkdtempSync(join(tmpdir(), 'headgate-bench-'))
const running: StartedProcess[] = []
try {
  const mock = await start(1, ['bench/mock-upstream.ts'], { ROUGH_DELAY_MS: String(ANSWER_MS) })
  const costs = summarize(await measureCosts(`http://127.0.0.1:${mock.firstLine}`))
  await stopAll()
  const slow = await start(1, ['bench/mock-upstream.ts'], { DELAY_MS: String(FIRST_TOKEN_MS), FRAMES: '3' })
  report(costs, await measureFirstTokens(`http://127.0.0.1:${slow.firstLine}`))
} finally {
  await stopAll()
  rmSync(folder, { recursive: true, force: true })
}

async function measureCosts(upstream: string): Promise<readonly MeasuredSubject[]> {
  const body = bodyOf(false)
  const costs = subjects.map((): number[] => [])
  for (let begun = 0; begun < STARTS; begun += 1) {
    const all: StartedSubject[] = []
    for (const [index, subject] of subjects.entries())
      all.push({ ...(await open(subject, upstream)), costs: costs[index] ?? [] })
    for (let pass = 0; pass < WARM_UP_PASSES; pass += 1)
      for (const subject of all) await untilWarm(() => costOfOneSecond(subject, body), MIN_WARM_UP_SECONDS)
    for (let round = 0; round < ROUNDS; round += 1) {
      // Each subject has each place in turn. None follows itself, since a process is warmer just after its own round.
      for (const subject of [...all.slice(round % all.length), ...all.slice(0, round % all.length)])
        subject.costs.push(await cost(subject, body, REQUESTS))
    }
    await Promise.all(all.map(({ process }) => process.stop()))
  }
  return subjects.map((subject, index) => ({ ...subject, costs: costs[index] ?? [] }))
}

/** 1 KB, with a cap of its output as most SDKs' examples have. */
function bodyOf(stream: boolean): Buffer {
  return Buffer.from(
    makeBody(1, stream).toString().replace('"temperature"', '"max_tokens":1000,"temperature"'),
  )
}

async function cost({ origin, process }: StartedSubject, body: Buffer, requests: number): Promise<number> {
  const beforeUs = processorTimeUs(process.pid)
  const load = { origin, path: PATH, key: KEY, body, concurrency: CONCURRENCY, requests }
  const { failures } = await runLoad(load)
  if (failures > 0) throw new Error(`${failures} of ${requests} requests failed`)
  return (processorTimeUs(process.pid) - beforeUs) / requests
}

async function costOfOneSecond(subject: StartedSubject, body: Buffer): Promise<number> {
  const endsAtMs = performance.now() + 1_000
  const costs: number[] = []
  while (performance.now() < endsAtMs) costs.push(await cost(subject, body, REQUESTS))
  return costs.reduce((sum, us) => sum + us, 0) / costs.length
}

interface CostRow {
  readonly name: string
  readonly us: number
  readonly ratio: number
  readonly quartiles: readonly [number, number]
  /** Undefined without another commit. */
  readonly toEarlier: number | undefined
}

function summarize(all: readonly MeasuredSubject[]): readonly CostRow[] {
  const without = all.find(({ accounting }) => accounting === 'none')
  const earlier = before === undefined ? undefined : all.at(-1)
  const ratiosTo = ({ costs }: MeasuredSubject, other: MeasuredSubject | undefined) =>
    costs.map((us, round) => us / (other?.costs[round] ?? Number.NaN))
  return all.map((subject) => {
    const ratios = ratiosTo(subject, without)
    return {
      name: subject.name,
      us: median(subject.costs),
      ratio: median(ratios),
      quartiles: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
      toEarlier: earlier === undefined ? undefined : median(ratiosTo(subject, earlier)),
    }
  })
}

interface FirstTokenRow extends Added {
  readonly name: string
}

/** One call at a time, with accounting and without in turn. */
async function measureFirstTokens(upstream: string): Promise<readonly FirstTokenRow[]> {
  const differences = budgeted.map((): number[] => [])
  for (let begun = 0; begun < STARTS; begun += 1) {
    const none = await openWarm({ name: NONE, clone: here, accounting: 'none' }, upstream)
    const all: StartedSubject[] = []
    for (const subject of budgeted) all.push(await openWarm(subject, upstream))
    for (const [index, subject] of all.entries())
      differences[index]?.push(...(await measureStart(subject, none)))
    await Promise.all([none, ...all].map(({ process }) => process.stop()))
  }
  return budgeted.map(({ name }, index) => ({ name, ...summarizePairs(differences[index] ?? []) }))
}

async function openWarm(subject: Subject, upstream: string): Promise<StartedSubject> {
  const opened = await open(subject, upstream)
  const load = { origin: opened.origin, path: PATH, key: KEY, body: bodyOf(true) }
  await runLoad({ ...load, concurrency: 200, requests: STREAM_WARM_UP_REQUESTS })
  return opened
}

function measureStart(subject: StartedSubject, none: StartedSubject): Promise<readonly number[]> {
  const headers = { authorization: `Bearer ${KEY}` }
  return measurePairs({
    direct: { origin: none.origin, headers },
    through: { origin: subject.origin, headers },
    path: PATH,
    body: bodyOf(true),
    marker: ' water',
    pairs: Math.ceil(PAIRS / STARTS),
  })
}

function report(costs: readonly CostRow[], firstTokens: readonly FirstTokenRow[]): void {
  const text = [
    `${describeRun()}, ${STARTS} starts, ${ROUNDS} interleaved rounds each of ${REQUESTS} requests of 1 KB, ${CONCURRENCY} at once, answered ${ANSWER_MS === 0 ? 'at once' : `after ${ANSWER_MS} ms`}; ${PAIRS} pairs.`,
    '',
    'Processor time of the whole gateway, its ledger writer included.',
    '',
    '| with | µs a request | ratio to no accounting | quartiles | limit | ratio to the commit before |',
    '| --- | --- | --- | --- | --- | --- |',
    ...costs.map(
      ({ name, us, ratio, quartiles, toEarlier }) =>
        `| ${name} | ${us.toFixed(1)} | ${ratio.toFixed(3)} | ${quartiles.map((it) => it.toFixed(2)).join('–')} | ${name === NONE ? '' : compare(ratio, RATIO_LIMIT)} | ${toEarlier?.toFixed(3) ?? 'not measured'} |`,
    ),
    '',
    `Added to the first token of a stream, at an upstream that takes ${FIRST_TOKEN_MS} ms, one call at a time: paired differences to no accounting.`,
    '',
    '| with | median, ms | quartiles | limit |',
    '| --- | --- | --- | --- |',
    ...firstTokens.map(
      ({ name, medianMs, quartilesMs }) =>
        `| ${name} | ${medianMs.toFixed(3)} | ${quartilesMs.map((ms) => ms.toFixed(3)).join('–')} | ${compare(medianMs, FIRST_TOKEN_LIMIT_MS)} |`,
    ),
    '',
  ].join('\n')
  process.stdout.write(text)
  mkdirSync('bench/results', { recursive: true })
  writeFileSync('bench/results/accounting.md', text)
  const run = {
    run: describeRun(),
    starts: STARTS,
    rounds: ROUNDS,
    pairs: PAIRS,
    concurrency: CONCURRENCY,
    answerMs: ANSWER_MS,
  }
  writeFileSync(
    'bench/results/accounting.json',
    `${JSON.stringify({ ...run, costs, firstTokens }, null, 2)}\n`,
  )
}

function compare(measured: number, limit: number): string {
  return `${limit}, ${measured <= limit ? 'met' : 'missed'}`
}

async function start(core: number, args: readonly string[], environment: Record<string, string> = {}) {
  const one = await startProcess({ core, args, environment })
  running.push(one)
  return one
}

async function stopAll(): Promise<void> {
  await Promise.all(running.splice(0).map((one) => one.stop()))
}

async function open(subject: Subject, upstream: string): Promise<StartedSubject> {
  const name = `${running.length}-${subject.accounting}`
  const file = join(folder, `${name}.yaml`)
  writeFileSync(
    file,
    accountedConfiguration({
      accounting: subject.accounting,
      upstream,
      data: join(folder, name),
      log: 'silent',
    }),
  )
  const started = await start(0, [
    ...readNodeOptions(subject.clone),
    join(subject.clone, 'bench/headgate.ts'),
    file,
  ])
  return { ...subject, process: started, origin: `http://127.0.0.1:${started.firstLine}`, costs: [] }
}
