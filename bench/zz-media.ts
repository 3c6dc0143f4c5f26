// CPU of the gateway for a megabyte of speech and of an image's event, as a ratio to a bare relay of the same parts, in
// interleaved rounds of one run: node bench/media.ts
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import nodeOptions from '../bin/node-options.json' with { type: 'json' }
import { describeRun } from './describe-run.ts'
import { median } from './median.ts'
import { processorTimeUs } from './processor-time.ts'
import { startProcess } from './start-process.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 7)
const KEY = 'bench-key-0123456789abcdef'
const MEGABYTE = 1024 * 1024
const SPEECH_BYTES = 64 * MEGABYTE
const IMAGE_BYTES = 8 * MEGABYTE
const LIMIT = 1.5

const sound = Buffer.alloc(64 * 1024, 7)
const event = `data: {"type":"image_generation.completed","b64_json":"${'A'.repeat(IMAGE_BYTES)}"}\n\n`

/** Sends sound in chunks as fast as they are read, or one event of an image. */
const upstream = createServer((incoming, response) => {
  incoming.resume()
  if (incoming.url?.endsWith('/images/generations')) {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(event)
    return
  }
  response.writeHead(200, { 'content-type': 'audio/mpeg' })
  let left = SPEECH_BYTES
  const pump = () => {
    while (left > 0) {
      left -= sound.length
      if (!response.write(sound)) return void response.once('drain', pump)
    }
    response.end()
  }
  pump()
})
await new Promise<void>((listening) => upstream.listen(0, '127.0.0.1', listening))
const origin = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
const folder = mkdtempSync(join(tmpdir(), 'headgate-bench-'))
const config = join(folder, 'headgate.yaml')
writeFileSync(
  config,
  [
    'listen: 127.0.0.1:0',
    `data: ${join(folder, 'data')}`,
    'log: { level: silent }',
    `keys: [{ name: bench, secret: ${KEY}, models: ["*"] }]`,
    `channels: [{ name: c, provider: openai-compatible, base_url: "${origin}/v1", allow_private: true, models: [m] }]`,
  ].join('\n'),
)
const relay = await startProcess({ core: 0, args: [join(import.meta.dirname, 'bare-relay.ts'), origin] })
const headgate = await startProcess({
  core: 0,
  args: [
    ...nodeOptions,
    '--cpu-prof',
    '--cpu-prof-dir=/tmp/ab/mprof',
    join(import.meta.dirname, 'headgate.ts'),
    config,
  ],
})

const scenarios = [
  {
    name: 'speech, bytes',
    path: '/v1/audio/speech',
    body: { model: 'm', input: 'x', voice: 'v' },
    requests: 4,
    bytes: SPEECH_BYTES,
  },
  {
    name: 'image, one event',
    path: '/v1/images/generations',
    body: { model: 'm', prompt: 'x', stream: true },
    requests: 12,
    bytes: IMAGE_BYTES,
  },
]

try {
  const lines: string[] = []
  for (const { name, path, body, requests, bytes } of scenarios) {
    const megabytes = (requests * bytes) / MEGABYTE
    const cost = async ({ pid, firstLine }: typeof relay) => {
      const before = processorTimeUs(pid)
      for (let sent = 0; sent < requests; sent += 1) await ask(firstLine.trim(), path, body)
      return (processorTimeUs(pid) - before) / megabytes
    }
    for (const subject of [relay, headgate]) await cost(subject)
    const rounds: { readonly relayUs: number; readonly headgateUs: number }[] = []
    for (let round = 0; round < ROUNDS; round += 1)
      rounds.push({ relayUs: await cost(relay), headgateUs: await cost(headgate) })
    const ratio = median(rounds.map(({ relayUs, headgateUs }) => headgateUs / relayUs))
    if (ratio > LIMIT) process.exitCode = 1
    const [ours, floor] = [rounds.map(({ headgateUs }) => headgateUs), rounds.map(({ relayUs }) => relayUs)]
    lines.push(
      `| ${name} | ${median(floor).toFixed(0)} | ${median(ours).toFixed(0)} | ${ratio.toFixed(2)} | ${LIMIT} |`,
    )
  }
  const head =
    '| scenario | bare relay, µs CPU a MB | Headgate, µs CPU a MB | ratio | limit |\n| --- | --- | --- | --- | --- |'
  process.stdout.write(`${describeRun()}, ${ROUNDS} interleaved rounds.\n\n${head}\n${lines.join('\n')}\n`)
} finally {
  await Promise.all([relay.stop(), headgate.stop()])
  upstream.close()
  rmSync(folder, { recursive: true, force: true })
}

/** Reads an answer to its end and keeps nothing of it. */
function ask(port: string, path: string, body: object): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
    const call = request({ host: '127.0.0.1', port, path, method: 'POST', headers }, (answer) => {
      answer.resume()
      answer.on('end', () =>
        answer.statusCode === 200 ? resolve() : reject(new Error(`status ${answer.statusCode}`)),
      )
    })
    call.on('error', reject)
    call.end(JSON.stringify(body))
  })
}
