// Processor time of the gateway for a ranking and for a moderation, as a ratio to a chat completion whose bodies are of
// the same size, in interleaved rounds of one run: node bench/small-operations.ts
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import nodeOptions from '../bin/node-options.json' with { type: 'json' }
import { describeRun } from './describe-run.ts'
import { runLoad } from './load.ts'
import { median, quantile } from './median.ts'
import { processorTimeUs } from './processor-time.ts'
import { startProcess } from './start-process.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 25)
const REQUESTS = Number(process.env['BENCH_REQUESTS'] ?? 400)
/** The compiler has optimised the hot path after this many requests. */
const WARM_UP_REQUESTS = 25_000
const AT_ONCE = 8
const DOCUMENTS = 25
const LIMIT = 1.1
const key = 'bench-key-0123456789abcdef'

const words = 'The gate lets the water in and measures it. '
const results = Array.from({ length: DOCUMENTS }, (_, index) => ({
  index,
  relevance_score: (DOCUMENTS - index) / 100,
}))
const categories = ['harassment', 'hate', 'illicit', 'self-harm', 'sexual', 'violence', 'violence/graphic']
const verdict = {
  flagged: false,
  categories: Object.fromEntries(categories.map((name) => [name, false])),
  category_scores: Object.fromEntries(categories.map((name) => [name, 0.000123])),
  category_applied_input_types: Object.fromEntries(categories.map((name) => [name, ['text']])),
}

interface Operation {
  readonly name: string
  readonly path: string
  readonly body: string
  readonly answer: string
}

const ranking: Operation = {
  name: 'rerank',
  path: '/v1/rerank',
  body: JSON.stringify({
    model: 'rank',
    query: 'What flows?',
    documents: Array.from({ length: DOCUMENTS }, (_, index) => `${index}: ${words.repeat(3)}`),
  }),
  answer: JSON.stringify({ object: 'list', data: results, model: 'r', usage: { total_tokens: 1_200 } }),
}
const moderation: Operation = {
  name: 'moderations',
  path: '/v1/moderations',
  body: JSON.stringify({ model: 'judge', input: words.repeat(24) }),
  answer: JSON.stringify({ id: 'modr-1', model: 'j', results: [verdict] }),
}

/** A chat completion whose request and answer are as long as those of another operation. */
function chatLike({ name, body, answer }: Operation): Operation {
  const usage = { prompt_tokens: 20, completion_tokens: 180, total_tokens: 200 }
  const write = (content: string) =>
    JSON.stringify({
      id: 'c',
      object: 'chat.completion',
      created: 1_700_000_000,
      model: 'c',
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
      usage,
    })
  const ask = (content: string) =>
    JSON.stringify({ model: `chat-${name}`, messages: [{ role: 'user', content }] })
  return {
    name: `chat, as long as ${name}`,
    path: '/v1/chat/completions',
    body: ask('x'.repeat(body.length - ask('').length)),
    answer: write('x'.repeat(Math.max(0, answer.length - write('').length))),
  }
}

const pairs = [ranking, moderation].map((operation) => ({ operation, chat: chatLike(operation) }))
/** The answers by the upstream's name of the model. */
const answers = new Map(
  pairs
    .flatMap(({ operation, chat }) => [operation, chat])
    .map(({ body, answer }) => [modelOf(body), answer]),
)

function modelOf(body: string): string {
  return /"model":"([^"]+)"/.exec(body)?.[1] ?? ''
}

const upstream = createServer((incoming, response) => {
  const parts: Buffer[] = []
  incoming.on('data', (part: Buffer) => parts.push(part))
  incoming.on('end', () => {
    const answer = Buffer.from(answers.get(modelOf(Buffer.concat(parts).toString())) ?? '')
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length })
    response.end(answer)
  })
})
upstream.keepAliveTimeout = 60_000
await new Promise<void>((listening) => upstream.listen(0, '127.0.0.1', listening))
const origin = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`
const folder = mkdtempSync(join(tmpdir(), 'headgate-bench-'))
const file = join(folder, 'headgate.yaml')
const channel = (name: string, provider: string, models: string) =>
  `  - { name: ${name}, provider: ${provider}, base_url: "${origin}", api_key: sk-upstream-0123456789, allow_private: true, models: [${models}] }`
writeFileSync(
  file,
  [
    'listen: 127.0.0.1:0',
    `data: ${join(folder, 'data')}`,
    'log: { level: silent }',
    `keys: [{ name: bench, secret: ${key}, models: ["*"] }]`,
    'channels:',
    channel('ranks', 'voyage', 'rank'),
    channel('talks', 'openai', 'judge, chat-rerank, chat-moderations'),
  ].join('\n'),
)
const headgate = await startProcess({
  core: 0,
  args: [...nodeOptions, join(import.meta.dirname, 'headgate.ts'), file],
})

async function costOf({ path, body }: Operation, requests = REQUESTS): Promise<number> {
  const before = processorTimeUs(headgate.pid)
  const call = {
    origin: `http://127.0.0.1:${headgate.firstLine}`,
    path,
    key,
    headers: {},
    body: Buffer.from(body),
  }
  await runLoad({ ...call, concurrency: AT_ONCE, requests })
  return (processorTimeUs(headgate.pid) - before) / requests
}

try {
  const lines: string[] = []
  for (const { operation, chat } of pairs) {
    for (const each of [chat, operation]) await costOf(each, WARM_UP_REQUESTS)
    const rounds: { readonly own: number; readonly floor: number }[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const first = round % 2 === 0
      const [one, two] = first ? [chat, operation] : [operation, chat]
      const [costOfOne, costOfTwo] = [await costOf(one), await costOf(two)]
      rounds.push(first ? { floor: costOfOne, own: costOfTwo } : { floor: costOfTwo, own: costOfOne })
    }
    const ratios = rounds.map(({ own, floor }) => own / floor)
    const ratio = median(ratios)
    if (ratio > LIMIT) process.exitCode = 1
    const spread = `${quantile(ratios, 0.25).toFixed(2)} to ${quantile(ratios, 0.75).toFixed(2)}`
    const own = median(rounds.map((round) => round.own)).toFixed(0)
    const floor = median(rounds.map((round) => round.floor)).toFixed(0)
    lines.push(
      `| ${operation.name} | ${operation.body.length} / ${operation.answer.length} | ${floor} | ${own} | ${ratio.toFixed(3)} (${spread}) | ${LIMIT} |`,
    )
  }
  const head =
    '| operation | bytes, request / answer | chat, µs CPU | operation, µs CPU | ratio (quartiles) | limit |\n| --- | --- | --- | --- | --- | --- |'
  process.stdout.write(
    `${describeRun()}, ${ROUNDS} interleaved rounds of ${REQUESTS}.\n\n${head}\n${lines.join('\n')}\n`,
  )
} finally {
  await headgate.stop()
  upstream.closeAllConnections()
  upstream.close()
  rmSync(folder, { recursive: true, force: true })
}
