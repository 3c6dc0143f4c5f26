// Processor time of two checkouts of the gateway in interleaved rounds of one run, as the ratio of this one
// to the other, each with its own options of Node:
// node bench/two-commits.ts FOLDER, where FOLDER is a clone of the other commit with its packages installed.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describeRun } from './describe-run.ts'
import { runLoad } from './load.ts'
import { makeBody } from './make-body.ts'
import { makeConversation } from './make-conversation.ts'
import { median, quantile } from './median.ts'
import { mainThreadTimeUs, processorTimeUs } from './processor-time.ts'
import { readNodeOptions } from './read-node-options.ts'
import { type StartedProcess, startProcess } from './start-process.ts'

interface Scenario {
  readonly name: string
  readonly path: string
  readonly body: Buffer
  readonly requests: number
  readonly concurrency: number
}

interface Pair {
  readonly this: Checkout
  readonly other: Checkout
}

interface Checkout {
  readonly origin: string
  readonly process: StartedProcess
  readonly costs: Map<string, Cost[]>
}

/** Microseconds of a request. */
interface Cost {
  readonly all: number
  /** The part of the thread that serves; the others write stores, collect garbage and compile. */
  readonly mainThread: number
}

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5)
/** Each pair of processes has its own luck with memory and compilers, which no number of rounds evens out. */
const STARTS = Number(process.env['BENCH_STARTS'] ?? 3)
const FRAMES = 300
const WARM_UP_REQUESTS = 40_000
/** The rounds before those that are measured: the compiler has then done most of its work. */
const WARM_UP_ROUNDS = 10
const KEY = 'bench-key-0123456789abcdef'

const conversation = makeConversation(1)
const scenarios: readonly Scenario[] = [
  whole('whole, 1 KB request', 1, 3_000),
  whole('whole, 64 KB request', 64, 1_000),
  whole('whole, 400 KB request', 400, 500),
  stream('stream, verbatim', '/v1/chat/completions', { ...conversation.chat, model: 'bench-chat' }),
  stream('stream, messages caller, chat channel', '/v1/messages', {
    ...conversation.messages,
    model: 'bench-chat',
  }),
  stream('stream, chat caller, messages channel', '/v1/chat/completions', {
    ...conversation.chat,
    model: 'bench-messages',
  }),
  stream('stream, responses caller, chat channel', '/v1/responses', {
    ...conversation.responses,
    model: 'bench-chat',
  }),
]

const other = resolve(process.argv[2] ?? '')
if (process.argv[2] === undefined || !existsSync(join(other, 'bench/headgate.ts'))) {
  process.stderr.write('Give the folder of a clone of the other commit: node bench/two-commits.ts FOLDER\n')
  process.exit(2)
}
const folder = mkdtempSync(join(tmpdir(), 'headgate-bench-'))
const started: StartedProcess[] = []
try {
  const mock = await start(1, ['bench/mock-upstream.ts'], { FRAMES: String(FRAMES) })
  const upstream = `http://127.0.0.1:${mock.firstLine}`
  const all: Pair[] = []
  for (let begun = 0; begun < STARTS; begun += 1) {
    const pair = {
      this: await openCheckout(resolve('.'), upstream),
      other: await openCheckout(other, upstream),
    }
    for (const scenario of scenarios) await measure(scenario, pair)
    await Promise.all([pair.this, pair.other].map((checkout) => checkout.process.stop()))
    all.push(pair)
  }
  report({ this: all.map((pair) => pair.this), other: all.map((pair) => pair.other) })
} finally {
  await Promise.all(started.map((one) => one.stop()))
  rmSync(folder, { recursive: true, force: true })
}

function whole(name: string, kilobytes: number, requests: number): Scenario {
  const body = Buffer.from(makeBody(kilobytes, false).toString('utf8').replace('"bench"', '"bench-chat"'))
  return { name, path: '/v1/chat/completions', body, requests, concurrency: 8 }
}

function stream(name: string, path: string, body: object): Scenario {
  return { name, path, body: Buffer.from(JSON.stringify(body)), requests: 64, concurrency: 32 }
}

async function start(core: number, args: readonly string[], environment: Record<string, string> = {}) {
  const one = await startProcess({ core, args, environment })
  started.push(one)
  return one
}

/** Each runs with its own options of Node, as its `npm start` gives them. */
async function openCheckout(clone: string, upstream: string): Promise<Checkout> {
  const name = `${started.length}`
  const file = join(folder, `${name}.yaml`)
  const channel = (id: string, provider: string, base: string) => `  - name: ${id}
    provider: ${provider}
    base_url: ${base}
    api_key: upstream-key-0123456789
    allow_private: true
    models: { bench-${id}: bench-upstream }
`
  writeFileSync(
    file,
    `listen: 127.0.0.1:0
data: ${join(folder, name)}
keys:
  - { name: bench, secret: ${KEY}, models: ["*"] }
channels:
${channel('chat', 'openai-compatible', `${upstream}/v1`)}${channel('messages', 'anthropic-compatible', upstream)}`,
  )
  const one = await start(0, [...readNodeOptions(clone), join(clone, 'bench/headgate.ts'), file])
  return { origin: `http://127.0.0.1:${one.firstLine}`, process: one, costs: new Map() }
}

async function measure(scenario: Scenario, { this: one, other: two }: Pair) {
  const isFirst = scenario === scenarios[0]
  for (const checkout of [one, two])
    await cost(scenario, checkout, isFirst ? WARM_UP_REQUESTS : scenario.requests * WARM_UP_ROUNDS)
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const checkout of round % 2 === 0 ? [one, two] : [two, one]) {
      const spent = await cost(scenario, checkout, scenario.requests)
      checkout.costs.set(scenario.name, [...(checkout.costs.get(scenario.name) ?? []), spent])
    }
  }
}

/** Processor time of one request. */
async function cost(
  { path, body, concurrency }: Scenario,
  checkout: Checkout,
  requests: number,
): Promise<Cost> {
  const { pid } = checkout.process
  const before = { all: processorTimeUs(pid), mainThread: mainThreadTimeUs(pid) }
  const result = await runLoad({ origin: checkout.origin, path, key: KEY, body, concurrency, requests })
  if (result.failures > 0) throw new Error(`${result.failures} of ${requests} requests failed`)
  return {
    all: (processorTimeUs(pid) - before.all) / requests,
    mainThread: (mainThreadTimeUs(pid) - before.mainThread) / requests,
  }
}

function report({ this: ones, other: twos }: Readonly<Record<keyof Pair, readonly Checkout[]>>): void {
  process.stdout.write(
    `${describeRun()}, ${STARTS} pairs of processes, ${ROUNDS} interleaved rounds each, median of each round's ratio.\n\n`,
  )
  process.stdout.write('| scenario | this, µs a request | other, µs | ratio | quartiles | main thread |\n')
  process.stdout.write('| --- | --- | --- | --- | --- | --- |\n')
  for (const { name } of scenarios) {
    const [own, others] = [costsOf(ones, name, 'all'), costsOf(twos, name, 'all')]
    const ratios = ratiosOf(own, others)
    const ofMainThread = ratiosOf(costsOf(ones, name, 'mainThread'), costsOf(twos, name, 'mainThread'))
    const quartiles = [quantile(ratios, 0.25), quantile(ratios, 0.75)].map((value) => value.toFixed(2))
    process.stdout.write(
      `| ${name} | ${median(own).toFixed(1)} | ${median(others).toFixed(1)} | ${median(ratios).toFixed(3)} | ${quartiles.join('–')} | ${median(ofMainThread).toFixed(3)} |\n`,
    )
  }
}

function costsOf(checkouts: readonly Checkout[], scenario: string, part: keyof Cost): readonly number[] {
  return checkouts.flatMap(({ costs }) => (costs.get(scenario) ?? []).map((cost) => cost[part]))
}

function ratiosOf(own: readonly number[], others: readonly number[]): readonly number[] {
  return own.map((us, round) => us / (others[round] ?? Number.NaN))
}
