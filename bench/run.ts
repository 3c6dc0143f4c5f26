// CPU of the gateway per request and per streamed chunk, as a ratio to a bare relay of the same parts, in interleaved
// rounds of one run. `npm run bench`; results go to bench/results/.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import nodeOptions from '../bin/node-options.json' with { type: 'json' }
import { describeRun } from './describe-run.ts'
import { type LoadResult, runLoad } from './load.ts'
import { makeBody } from './make-body.ts'
import { median, quantile } from './median.ts'
import { processorTimeUs } from './processor-time.ts'
import { type StartedProcess, startProcess } from './start-process.ts'

interface Subject {
  readonly name: 'relay' | 'headgate'
  readonly origin: string
  readonly process: StartedProcess
}

interface Scenario {
  readonly name: string
  readonly unit: 'request' | 'chunk'
  readonly body: Buffer
  readonly requests: number
  readonly concurrency: number
  /** Units in one request. */
  readonly unitsPerRequest: number
  readonly limit: number
}

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 9)
const FRAMES = 300
/** The compiler has optimised the hot path after this many requests, as `--trace-opt` shows. */
const WARM_UP_REQUESTS = 20_000
const KEY = 'bench-key-0123456789abcdef'

const scenarios: readonly Scenario[] = [
  {
    name: 'whole, 1 KB request',
    unit: 'request',
    body: makeBody(1, false),
    requests: 3_000,
    concurrency: 8,
    unitsPerRequest: 1,
    limit: 2.0,
  },
  {
    name: 'whole, 64 KB request',
    unit: 'request',
    body: makeBody(64, false),
    requests: 1_000,
    concurrency: 8,
    unitsPerRequest: 1,
    limit: 2.0,
  },
  {
    name: 'whole, 400 KB request',
    unit: 'request',
    body: makeBody(400, false),
    requests: 1_000,
    concurrency: 8,
    unitsPerRequest: 1,
    limit: 1.5,
  },
  {
    name: 'stream, verbatim',
    unit: 'chunk',
    body: makeBody(1, true),
    requests: 64,
    concurrency: 32,
    unitsPerRequest: FRAMES,
    limit: 1.5,
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
  const mock = await start(1, ['bench/mock-upstream.ts'], { FRAMES: String(FRAMES) })
  const upstream = `http://127.0.0.1:${mock.firstLine}`
  const relay = await start(0, ['bench/bare-relay.ts', upstream])
  const config = join(folder, 'headgate.yaml')
  writeFileSync(
    config,
    `listen: 127.0.0.1:0
data: ${join(folder, 'data')}
keys:
  - { name: bench, secret: ${KEY}, models: ["bench"] }
channels:
  - name: mock
    provider: openai-compatible
    base_url: ${upstream}/v1
    api_key: upstream-key-0123456789
    allow_private: true
    models: { bench: bench-upstream }
`,
  )
  // The options are those of `npm start`.
  const headgate = await start(0, [...nodeOptions, 'bench/headgate.ts', config])
  return [
    { name: 'relay', origin: `http://127.0.0.1:${relay.firstLine}`, process: relay },
    { name: 'headgate', origin: `http://127.0.0.1:${headgate.firstLine}`, process: headgate },
  ]
}

async function start(core: number, args: readonly string[], environment: Record<string, string> = {}) {
  const one = await startProcess({ core, args, environment })
  started.push(one)
  return one
}

async function warmUp(subjects: readonly Subject[]): Promise<void> {
  const [first, ...rest] = scenarios
  for (const subject of subjects) {
    if (first !== undefined) await load(first, subject, WARM_UP_REQUESTS)
    for (const scenario of rest) await load(scenario, subject, scenario.requests)
  }
}

async function load(scenario: Scenario, subject: Subject, requests: number): Promise<LoadResult> {
  const result = await runLoad({
    origin: subject.origin,
    path: '/v1/chat/completions',
    key: KEY,
    body: scenario.body,
    concurrency: scenario.concurrency,
    requests,
  })
  if (result.failures > 0) throw new Error(`${subject.name}: ${result.failures} of ${requests} failed`)
  return result
}

async function measure(scenario: Scenario, subjects: readonly Subject[]) {
  const costs: Record<Subject['name'], number[]> = { relay: [], headgate: [] }
  for (let round = 0; round < ROUNDS; round += 1) {
    const order = round % 2 === 0 ? subjects : subjects.toReversed()
    for (const subject of order) {
      const before = processorTimeUs(subject.process.pid)
      await load(scenario, subject, scenario.requests)
      const spentUs = processorTimeUs(subject.process.pid) - before
      costs[subject.name].push(spentUs / (scenario.requests * scenario.unitsPerRequest))
    }
  }
  const ratios = costs.headgate.map((cost, round) => cost / (costs.relay[round] ?? Number.NaN))
  return {
    scenario: scenario.name,
    unit: scenario.unit,
    relayUs: median(costs.relay),
    headgateUs: median(costs.headgate),
    ratio: median(ratios),
    ratioSpread: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
    limit: scenario.limit,
  }
}

function report(rows: readonly Awaited<ReturnType<typeof measure>>[]): void {
  const run = describeRun()
  const table = rows.map(
    (row) =>
      `| ${row.scenario} | ${row.unit} | ${row.relayUs.toFixed(1)} | ${row.headgateUs.toFixed(1)} | ${row.ratio.toFixed(2)} | ${row.ratioSpread.map((value) => value.toFixed(2)).join('–')} | ${row.limit.toFixed(1)}, ${row.ratio <= row.limit ? 'met' : 'missed'} |`,
  )
  const text = [
    `${run}, ${ROUNDS} interleaved rounds, median of each round's ratio.`,
    '',
    '| scenario | per | bare relay, µs CPU | Headgate, µs CPU | ratio | quartiles | limit |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...table,
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
