// CPU of the translated lane: of a streamed chunk, as a ratio to a bare relay of the same upstream's chunks;
// of a request of 64 KB, as a ratio to parsing and stringifying it. Interleaved rounds of one run; results go
// to bench/results/.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import nodeOptions from '../bin/node-options.json' with { type: 'json' }
import { describeRun } from './describe-run.ts'
import { runLoad } from './load.ts'
import { makeConversation } from './make-conversation.ts'
import { median, quantile } from './median.ts'
import { processorTimeUs } from './processor-time.ts'
import { type StartedProcess, startProcess } from './start-process.ts'
import { measureTranslation } from './translate-request.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 9)
const FRAMES = 300
const REQUESTS = 64
const WARM_UP_REQUESTS = 400
const CONCURRENCY = 32
const KEY = 'bench-key-0123456789abcdef'
const PER_CHUNK_LIMIT = 2.5

const paths = { chat: '/v1/chat/completions', messages: '/v1/messages', responses: '/v1/responses' }

interface Pair {
  readonly caller: keyof typeof paths
  readonly channel: 'chat' | 'messages'
}

const pairs: readonly Pair[] = [
  { caller: 'messages', channel: 'chat' },
  { caller: 'chat', channel: 'messages' },
  { caller: 'responses', channel: 'chat' },
  { caller: 'responses', channel: 'messages' },
]

const folder = mkdtempSync(join(tmpdir(), 'headgate-bench-'))
const started: StartedProcess[] = []
try {
  const origins = await startAll()
  const rows = []
  for (const pair of pairs) rows.push(await measureStream(pair, origins))
  report(rows)
} finally {
  await Promise.all(started.map((one) => one.stop()))
  rmSync(folder, { recursive: true, force: true })
}

async function startAll() {
  const mock = await start(1, ['bench/mock-upstream.ts'], { FRAMES: String(FRAMES) })
  const upstream = `http://127.0.0.1:${mock.firstLine}`
  const relay = await start(0, ['bench/bare-relay.ts', upstream])
  const file = join(folder, 'headgate.yaml')
  writeFileSync(file, writeConfiguration(upstream))
  // The options are those of `npm start`.
  const headgate = await start(0, [...nodeOptions, 'bench/headgate.ts', file])
  return { relay, headgate }
}

function writeConfiguration(upstream: string): string {
  const channel = (name: string, provider: string, base: string) => `  - name: ${name}
    provider: ${provider}
    base_url: ${base}
    api_key: upstream-key-0123456789
    allow_private: true
    models: { bench-${name}: bench-upstream }
`
  return `listen: 127.0.0.1:0
data: ${join(folder, 'data')}
keys:
  - { name: bench, secret: ${KEY}, models: ["*"] }
channels:
${channel('chat', 'openai-compatible', `${upstream}/v1`)}${channel('messages', 'anthropic-compatible', upstream)}`
}

async function start(core: number, args: readonly string[], environment: Record<string, string> = {}) {
  const one = await startProcess({ core, args, environment })
  started.push(one)
  return one
}

async function measureStream(
  { caller, channel }: Pair,
  { relay, headgate }: Awaited<ReturnType<typeof startAll>>,
) {
  const conversation = makeConversation(1)
  const subjects = {
    relay: { process: relay, path: paths[channel], body: Buffer.from(JSON.stringify(conversation[channel])) },
    headgate: {
      process: headgate,
      path: paths[caller],
      body: Buffer.from(JSON.stringify({ ...conversation[caller], model: `bench-${channel}` })),
    },
  }
  const run = async (name: keyof typeof subjects, requests: number) => {
    const { process: subject, path, body } = subjects[name]
    const before = processorTimeUs(subject.pid)
    const origin = `http://127.0.0.1:${subject.firstLine}`
    const result = await runLoad({ origin, path, key: KEY, body, concurrency: CONCURRENCY, requests })
    if (result.failures > 0) throw new Error(`${name}: ${result.failures} of ${requests} failed`)
    return (processorTimeUs(subject.pid) - before) / (requests * FRAMES)
  }
  const costs: Record<keyof typeof subjects, number[]> = { relay: [], headgate: [] }
  await run('relay', WARM_UP_REQUESTS)
  await run('headgate', WARM_UP_REQUESTS)
  for (let round = 0; round < ROUNDS; round += 1) {
    const order = round % 2 === 0 ? (['relay', 'headgate'] as const) : (['headgate', 'relay'] as const)
    for (const name of order) costs[name].push(await run(name, REQUESTS))
  }
  const scenario = `stream, ${caller} caller, ${channel} channel`
  return { scenario, unit: 'chunk', floorUs: costs.relay, headgateUs: costs.headgate, limit: PER_CHUNK_LIMIT }
}

type Row = Awaited<ReturnType<typeof measureStream>>

function report(streams: readonly Row[]): void {
  const rows = [...streams, ...measureTranslation(ROUNDS)].map((row) => {
    const ratios = row.headgateUs.map((cost, round) => cost / (row.floorUs[round] ?? Number.NaN))
    return {
      scenario: row.scenario,
      unit: row.unit,
      floorUs: median(row.floorUs),
      headgateUs: median(row.headgateUs),
      ratio: median(ratios),
      ratioSpread: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
      limit: row.limit,
    }
  })
  const run = describeRun()
  const table = rows.map(
    (row) =>
      `| ${row.scenario} | ${row.unit} | ${row.floorUs.toFixed(1)} | ${row.headgateUs.toFixed(1)} | ${row.ratio.toFixed(2)} | ${row.ratioSpread.map((value) => value.toFixed(2)).join('–')} | ${row.limit.toFixed(1)}, ${row.ratio <= row.limit ? 'met' : 'missed'} |`,
  )
  const text = [
    `${run}, ${ROUNDS} interleaved rounds, median of each round's ratio. The floor of a chunk is a bare relay of the`,
    "channel's chunks; that of a request is `JSON.parse` of its bytes and `JSON.stringify` to bytes.",
    '',
    '| scenario | per | floor, µs CPU | Headgate, µs CPU | ratio | quartiles | limit |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...table,
    '',
  ].join('\n')
  process.stdout.write(text)
  mkdirSync('bench/results', { recursive: true })
  writeFileSync('bench/results/translated-lane.md', text)
  writeFileSync(
    'bench/results/translated-lane.json',
    `${JSON.stringify({ run, rounds: ROUNDS, rows }, null, 2)}\n`,
  )
}
