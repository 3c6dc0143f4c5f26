// Streams that stay open, beside a bare relay in one run: the memory of those that are silent, and the errors, the
// growth and the jitter of those that speak, through two workers and two relays.
// node bench/open-streams.ts; BENCH_SECONDS changes how long each set of streams speaks.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import nodeOptions from '../bin/node-options.json' with { type: 'json' }
import { describeRun } from './describe-run.ts'
import { findFreePort } from './find-free-port.ts'
import { median } from './median.ts'
import { childrenOf, residentBytes } from './processor-time.ts'
import { type StartedProcess, startProcess } from './start-process.ts'
import { untilAllServe } from './until-all-serve.ts'

const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 600)
const SILENT = Number(process.env['BENCH_SILENT'] ?? 5_000)
/** Callers that connect at once; a listener's backlog is 511. */
const CONNECT_AT_ONCE = 200
const SETTLE_MS = 5_000
const SAMPLE_EVERY_MS = 1_000
const BYTES_PER_KB = 1_000
const BYTES_PER_MB = 1e6
const MEMORY_LIMIT = 1.6
const JITTER_LIMIT = 2
const KEY = 'bench-key-0123456789abcdef'
const root = join(import.meta.dirname, '..')

const lanes = [
  { streams: 10_000, intervalMs: 1_000 },
  { streams: 1_000, intervalMs: 50 },
]

const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'go' }] })
const call = [
  'POST /v1/chat/completions HTTP/1.1',
  'host: 127.0.0.1',
  `authorization: Bearer ${KEY}`,
  'content-type: application/json',
  `content-length: ${body.length}`,
  '',
  body,
].join('\r\n')

interface Subject {
  /** Each stream goes to the next one. */
  readonly ports: readonly number[]
  readonly pids: () => readonly number[]
  readonly stop: () => Promise<void>
}

const folder = mkdtempSync(join(tmpdir(), 'headgate-bench-'))

async function measureSilent(): Promise<void> {
  const upstream = await startUpstream(0)
  const growth: number[] = []
  for (const open of [openRelays, openOne]) {
    const subject = await open(upstream, 1)
    // The first streams load what all need.
    const first = await openStreams(subject, 200, 0)
    first.close()
    const before = await settledBytes(subject)
    const streams = await openStreams(subject, SILENT, 0)
    growth.push(((await settledBytes(subject)) - before) / SILENT)
    if (streams.tally.errors > 0) throw new Error(`${streams.tally.errors} silent streams failed`)
    streams.close()
    await subject.stop()
  }
  await upstream.stop()
  const [relay = Number.NaN, own = Number.NaN] = growth.map((bytes) => bytes / BYTES_PER_KB)
  judge(own / relay, MEMORY_LIMIT)
  process.stdout.write(
    `${SILENT} silent streams: ${own.toFixed(1)} KB each, the relay's ${relay.toFixed(1)}, ratio ${(own / relay).toFixed(2)} (limit ${MEMORY_LIMIT})\n\n`,
  )
}

async function measureSpeaking(): Promise<void> {
  process.stdout.write(
    `Each ${SECONDS} s:\n\n| streams | through | errors | tokens | jitter p50, ms | p99, ms | ratio of p99 (limit ${JITTER_LIMIT}) | growth in the second half, MB |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n`,
  )
  for (const { streams, intervalMs } of lanes) {
    let floorMs = Number.NaN
    for (const [name, open] of [
      ['two relays', openRelays],
      ['two workers', openWorkers],
    ] as const) {
      const upstream = await startUpstream(intervalMs)
      const subject = await open(upstream, 2)
      const { tally, growthBytes } = await hear(subject, streams, intervalMs)
      const p99 = tally.jitterMs(0.99)
      if (name === 'two relays') floorMs = p99
      else judge(p99 / floorMs, JITTER_LIMIT)
      if (tally.errors > 0) process.exitCode = 1
      process.stdout.write(
        `| ${streams} of ${1_000 / intervalMs} a second | ${name} | ${tally.errors} | ${tally.tokens} | ${tally.jitterMs(0.5).toFixed(1)} | ${p99.toFixed(1)} | ${(p99 / floorMs).toFixed(2)} | ${(growthBytes / BYTES_PER_MB).toFixed(1)} |\n`,
      )
      await subject.stop()
      await upstream.stop()
    }
  }
}

/** The growth is from the third quarter to the last one, by the medians of their samples. */
async function hear(subject: Subject, count: number, intervalMs: number) {
  const streams = await openStreams(subject, count, intervalMs)
  // The jitter of the streams that others were opened beside is not that of streams that stay.
  await setTimeout(SETTLE_MS)
  streams.tally.reset()
  const samples: number[] = []
  for (let second = 0; second < SECONDS; second += 1) {
    await setTimeout(SAMPLE_EVERY_MS)
    samples.push(bytesOf(subject))
  }
  const [third, last] = [samples.slice(SECONDS / 2, (3 * SECONDS) / 4), samples.slice((3 * SECONDS) / 4)]
  streams.close()
  return { tally: streams.tally, growthBytes: median(last) - median(third) }
}

const JITTER_STEP_MS = 0.1
const MAX_JITTER_MS = 2_000

/** The tokens of all streams. One is late or early by as much as its gap differs from the interval. */
class Tally {
  errors = 0
  tokens = 0
  readonly #jitter = new Uint32Array(MAX_JITTER_MS / JITTER_STEP_MS)

  add(deviationMs: number): void {
    const step = Math.min(this.#jitter.length - 1, Math.floor(Math.abs(deviationMs) / JITTER_STEP_MS))
    this.#jitter[step] = (this.#jitter[step] ?? 0) + 1
  }

  reset(): void {
    this.tokens = 0
    this.#jitter.fill(0)
  }

  jitterMs(share: number): number {
    let left = share * this.#jitter.reduce((sum, count) => sum + count, 0)
    const step = this.#jitter.findIndex((count) => {
      left -= count
      return left <= 0
    })
    return step * JITTER_STEP_MS
  }
}

async function openStreams({ ports }: Subject, count: number, intervalMs: number) {
  const tally = new Tally()
  const sockets: Socket[] = []
  let isClosing = false
  for (let from = 0; from < count; from += CONNECT_AT_ONCE) {
    const some = Math.min(CONNECT_AT_ONCE, count - from)
    await Promise.all(
      Array.from({ length: some }, (_, index) => {
        const { promise, resolve } = Promise.withResolvers<void>()
        const socket = connect(ports[(from + index) % ports.length] ?? 0, '127.0.0.1', () =>
          socket.write(call),
        )
        let lastAtMs: number | undefined
        socket.on('data', (chunk: Buffer) => {
          const nowMs = performance.now()
          if (lastAtMs === undefined && !chunk.includes('200 OK')) tally.errors += 1
          else if (lastAtMs !== undefined) tally.add(nowMs - lastAtMs - intervalMs)
          lastAtMs = nowMs
          tally.tokens += 1
          resolve()
        })
        socket.on('error', () => undefined)
        socket.on('close', () => {
          if (!isClosing) tally.errors += 1
          resolve()
        })
        sockets.push(socket)
        return promise
      }),
    )
  }
  return {
    tally,
    close() {
      isClosing = true
      for (const socket of sockets) socket.destroy()
    },
  }
}

async function settledBytes(subject: Subject): Promise<number> {
  await setTimeout(SETTLE_MS)
  for (let count = 0; count < 3; count += 1) {
    for (const pid of subject.pids()) process.kill(pid, 'SIGUSR2')
    await setTimeout(500)
  }
  return bytesOf(subject)
}

function bytesOf({ pids }: Subject): number {
  return pids().reduce((sum, pid) => sum + residentBytes(pid), 0)
}

function judge(ratio: number, limit: number): void {
  if (!(ratio <= limit)) process.exitCode = 1
}

const startUpstream = (intervalMs: number) =>
  startProcess({
    args: [join(root, 'bench/token-upstream.ts')],
    environment: { INTERVAL_MS: String(intervalMs) },
  })

const originOf = ({ firstLine }: StartedProcess) => `http://127.0.0.1:${firstLine.trim()}`

async function openRelays(upstream: StartedProcess, count: number): Promise<Subject> {
  const relays = await Promise.all(
    Array.from({ length: count }, () =>
      startProcess({
        args: ['--expose-gc', join(root, 'bench/bare-relay.ts'), originOf(upstream)],
        environment: { CONNECTIONS: '20000' },
      }),
    ),
  )
  return {
    ports: relays.map(({ firstLine }) => Number(firstLine)),
    pids: () => relays.map(({ pid }) => pid),
    stop: async () => void (await Promise.all(relays.map((relay) => relay.stop()))),
  }
}

async function openOne(upstream: StartedProcess): Promise<Subject> {
  const args = [...nodeOptions, join(root, 'bench/headgate.ts'), writeConfiguration(upstream, 0)]
  const one = await startProcess({ args })
  return { ports: [Number(one.firstLine)], pids: () => [one.pid], stop: () => one.stop() }
}

async function openWorkers(upstream: StartedProcess, count: number): Promise<Subject> {
  const port = await findFreePort()
  const file = writeConfiguration(upstream, port)
  const one = await startProcess({
    args: [join(root, 'bin/headgate.js'), 'serve', '--config', file, '--workers', String(count)],
    whenReady: () => untilAllServe(join(file, '..', 'data')),
  })
  return { ports: [port], pids: () => [one.pid, ...childrenOf(one.pid)], stop: () => one.stop() }
}

function writeConfiguration(upstream: StartedProcess, port: number): string {
  const file = join(mkdtempSync(join(folder, 'data-')), 'headgate.yaml')
  writeFileSync(
    file,
    `listen: 127.0.0.1:${port}
data: ${join(file, '..', 'data')}
limits: { connections: 30000 }
keys: [{ name: bench, secret: ${KEY}, models: ["*"] }]
channels:
  - name: chat
    provider: openai-compatible
    base_url: ${originOf(upstream)}/v1
    api_key: upstream-key-0123456789
    allow_private: true
    models: [m]
    timeouts: { idle: 30m, progress: 30m }
`,
  )
  return file
}

try {
  process.stdout.write(`${describeRun()}.\n\n`)
  await measureSilent()
  await measureSpeaking()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
