// What accounting costs: one gateway with prices, five budgets, rate limits and its ledger, beside the same without prices,
// budgets and limits, in interleaved rounds of one run; then what it adds to the first token of a stream, in pairs.
// node bench/accounting.ts [FOLDER], where FOLDER is a clone of a commit without a ledger, with its packages installed.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import nodeOptions from '../bin/node-options.json' with { type: 'json' }
import { describeRun } from './describe-run.ts'
import { runLoad } from './load.ts'
import { makeBody } from './make-body.ts'
import { median, quantile } from './median.ts'
import { measureAdded } from './paired-latency.ts'
import { processorTimeUs } from './processor-time.ts'
import { type StartedProcess, startProcess } from './start-process.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 25)
const REQUESTS = 3_000
const WARM_UP_REQUESTS = 40_000
const CONCURRENCY = Number(process.env['BENCH_CONCURRENCY'] ?? 64)
const PAIRS = 400
/** Of a model that answers fast. A budget's intent is on the disk long before that. */
const FIRST_TOKEN_MS = 20
const KEY = 'bench-key-0123456789abcdef'
const PATH = '/v1/chat/completions'

interface Subject {
  readonly name: string
  readonly clone: string
  /** Exact budgets, budgets that are only estimated, or no accounting. */
  readonly accounting: 'exact' | 'estimate' | 'none'
}

interface StartedSubject extends Subject {
  readonly process: StartedProcess
  readonly origin: string
  readonly costs: number[]
}

const before = process.argv[2]
if (before !== undefined && !existsSync(join(before, 'bench/headgate.ts'))) {
  process.stderr.write('Give the folder of a clone: node bench/accounting.ts [FOLDER]\n')
  process.exit(2)
}
const here = resolve('.')
const subjects: readonly Subject[] = [
  { name: 'five exact budgets', clone: here, accounting: 'exact' },
  { name: 'five estimated budgets', clone: here, accounting: 'estimate' },
  { name: 'no prices, budgets, limits', clone: here, accounting: 'none' },
  ...(before === undefined
    ? []
    : [{ name: 'the commit before', clone: resolve(before), accounting: 'none' as const }]),
]

const folder = mkdtempSync(join(tmpdir(), 'headgate-bench-'))
const running: StartedProcess[] = []
try {
  process.stdout.write(
    `${describeRun()}, ${ROUNDS} interleaved rounds of ${REQUESTS} requests of 1 KB, ${CONCURRENCY} at once.\n\n`,
  )
  const mock = await start(1, ['bench/mock-upstream.ts'])
  reportCosts(await measureCosts(`http://127.0.0.1:${mock.firstLine}`))
  await stopAll()
  const slow = await start(1, ['bench/mock-upstream.ts'], { DELAY_MS: String(FIRST_TOKEN_MS), FRAMES: '3' })
  await reportFirstToken(`http://127.0.0.1:${slow.firstLine}`)
} finally {
  await stopAll()
  rmSync(folder, { recursive: true, force: true })
}

async function measureCosts(upstream: string): Promise<readonly StartedSubject[]> {
  const body = bodyOf(false)
  const all: StartedSubject[] = []
  for (const subject of subjects) all.push(await open(subject, upstream))
  for (const subject of all) await cost(subject, body, WARM_UP_REQUESTS)
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const subject of round % 2 === 0 ? all : all.toReversed())
      subject.costs.push(await cost(subject, body, REQUESTS))
  }
  return all
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

function reportCosts(all: readonly StartedSubject[]): void {
  process.stdout.write(
    '| with | µs a request | ratio to no accounting | quartiles | ratio to the commit before |\n',
  )
  process.stdout.write('| --- | --- | --- | --- | --- |\n')
  const without = all.find(({ accounting }) => accounting === 'none')
  const earlier = before === undefined ? undefined : all.at(-1)
  for (const subject of all) {
    const [ratios, toEarlier] = [without, earlier].map((other) =>
      subject.costs.map((us, round) => us / (other?.costs[round] ?? Number.NaN)),
    )
    const quartiles = [quantile(ratios ?? [], 0.25), quantile(ratios ?? [], 0.75)].map((it) => it.toFixed(2))
    process.stdout.write(
      `| ${subject.name} | ${median(subject.costs).toFixed(1)} | ${median(ratios ?? []).toFixed(3)} | ${quartiles.join('–')} | ${median(toEarlier ?? []).toFixed(3)} |\n`,
    )
  }
}

/** One call at a time, with accounting and without in turn. */
async function reportFirstToken(upstream: string): Promise<void> {
  const body = bodyOf(true)
  const headers = { authorization: `Bearer ${KEY}` }
  const [exact, estimated, none] = [
    await open({ name: 'exact', clone: here, accounting: 'exact' }, upstream),
    await open({ name: 'estimated', clone: here, accounting: 'estimate' }, upstream),
    await open({ name: 'none', clone: here, accounting: 'none' }, upstream),
  ]
  for (const { origin } of [exact, estimated, none])
    await runLoad({ origin, path: PATH, key: KEY, body, concurrency: 32, requests: 3_000 })
  for (const { name, origin } of [exact, estimated]) {
    const { medianMs, quartilesMs } = await measureAdded({
      direct: { origin: none.origin, headers },
      through: { origin, headers },
      ...{ path: PATH, body, marker: ' water', pairs: PAIRS },
    })
    process.stdout.write(
      `\nFirst token, ${name} budgets less no accounting: median of ${PAIRS} paired differences ${medianMs.toFixed(3)} ms, quartiles ${quartilesMs.map((ms) => ms.toFixed(3)).join('–')}\n`,
    )
  }
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
  writeFileSync(file, configuration(subject, { upstream, data: join(folder, name) }))
  const started = await start(0, [...nodeOptions, join(subject.clone, 'bench/headgate.ts'), file])
  return { ...subject, process: started, origin: `http://127.0.0.1:${started.firstLine}`, costs: [] }
}

/** What may be spent is far more than is, so that every request is served. */
function configuration(
  { accounting }: Subject,
  { upstream, data }: { upstream: string; data: string },
): string {
  const has = accounting !== 'none'
  const limit = `limit_usd: 1000000, mode: ${accounting}`
  const key = `budgets: [{ ${limit}, window: day }, { ${limit}, window: month }], rate: { rpm: 100000000, tpm: 1000000000 }`
  const budgets = ['installation', 'group:bench', 'model:bench'].map(
    (scope, index) => `  - { name: b${index}, scope: "${scope}", ${limit}, window: month }\n`,
  )
  return `listen: 127.0.0.1:0
data: ${data}
log: { level: silent }
keys:
  - { name: bench, secret: ${KEY}, models: ["*"]${has ? `, group: bench, ${key}` : ''} }
${has ? `groups: { bench: {} }\nbudgets:\n${budgets.join('')}models: { bench: { price: { input: 1, output: 2 } } }\n` : ''}channels:
  - name: chat
    provider: openai-compatible
    base_url: ${upstream}/v1
    api_key: upstream-key-0123456789
    allow_private: true
    models: { bench: bench-upstream }
`
}
