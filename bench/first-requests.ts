// The processor time of the first requests of a process, beside what they cost once it is warm: after ten seconds
// without a request, after a rest of 60 s, and under load from the first second. Each kind of request has a process of
// its own, which serves nothing else.
// node bench/first-requests.ts [NAME], where NAME is a part of the name of a kind.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { accountedConfiguration } from './accounted-configuration.ts'
import { describeRun } from './describe-run.ts'
import { findFreePort } from './find-free-port.ts'
import { runLoad } from './load.ts'
import { makeBody } from './make-body.ts'
import { makeConversation } from './make-conversation.ts'
import { median } from './median.ts'
import { processorTimeUs, residentBytes } from './processor-time.ts'
import { type StartedProcess, startProcess } from './start-process.ts'
import { untilWarm } from './until-warm.ts'

const WAIT_MS = 10_000
const REST_MS = Number(process.env['BENCH_REST_MS'] ?? 60_000)
const REQUESTS = 1_000
const CONCURRENCY = 8
const MIN_BATCHES = 20
const FRAMES = 20
const LOAD_SECONDS = 20
const FIRST_LIMIT = 1.5
const WORST_SECOND_LIMIT = 3
const KEY = 'bench-key-0123456789abcdef'
const root = join(import.meta.dirname, '..')

interface Kind {
  readonly name: string
  readonly path: string
  readonly body: Buffer
}

const { messages, responses } = makeConversation(1)
const kinds: readonly Kind[] = [
  { name: 'chat caller, whole', path: '/v1/chat/completions', body: makeBody(1, false) },
  { name: 'chat caller, stream', path: '/v1/chat/completions', body: makeBody(1, true) },
  whole('messages caller, whole', '/v1/messages', { ...messages, stream: false }),
  whole('messages caller, stream', '/v1/messages', messages),
  whole('responses caller, stream', '/v1/responses', responses),
].filter(({ name }) => name.includes(process.argv[2] ?? ''))

function whole(name: string, path: string, body: object): Kind {
  return { name, path, body: Buffer.from(JSON.stringify(body)) }
}

interface Subject {
  readonly kind: Kind
  readonly origin: string
  readonly process: StartedProcess
}

const folder = mkdtempSync(join(tmpdir(), 'headgate-bench-'))
const running: StartedProcess[] = []
try {
  const mock = await startProcess({
    core: 1,
    args: [join(root, 'bench/mock-upstream.ts')],
    environment: { FRAMES: String(FRAMES) },
  })
  running.push(mock)
  process.stdout.write(
    `${describeRun()}, ${REQUESTS} requests of a channel of the chat format, ${CONCURRENCY} at once.\n\n`,
  )
  await measureRests(`http://127.0.0.1:${mock.firstLine}`)
  await measureLoadFromStart(`http://127.0.0.1:${mock.firstLine}`)
} finally {
  await Promise.all(running.map((one) => one.stop()))
  rmSync(folder, { recursive: true, force: true })
}

async function measureRests(upstream: string): Promise<void> {
  process.stdout.write(
    `| requests | warm, µs | the first, µs | ratio (limit ${FIRST_LIMIT}) | after a rest, µs | ratio (limit ${FIRST_LIMIT}) | resident then, MB |\n| --- | --- | --- | --- | --- | --- | --- |\n`,
  )
  const all: { subject: Subject; first: number; warm: number; restedAtMs: number }[] = []
  for (const kind of kinds) {
    const subject = await open(kind, upstream)
    await setTimeout(WAIT_MS)
    const first = await cost(subject, REQUESTS)
    const warm = await untilWarm(() => cost(subject, REQUESTS), MIN_BATCHES)
    all.push({ subject, first, warm, restedAtMs: performance.now() })
  }
  for (const { subject, first, warm, restedAtMs } of all) {
    await setTimeout(Math.max(0, restedAtMs + REST_MS - performance.now()))
    const resident = residentBytes(subject.process.pid) / 1e6
    const rested = await cost(subject, REQUESTS)
    const cells = [warm, first].map((us) => us.toFixed(0))
    process.stdout.write(
      `| ${[subject.kind.name, ...cells, (first / warm).toFixed(2), rested.toFixed(0), (rested / warm).toFixed(2), resident.toFixed(0)].join(' | ')} |\n`,
    )
    await subject.process.stop()
  }
}

async function measureLoadFromStart(upstream: string): Promise<void> {
  process.stdout.write(
    `\nUnder load from the first second:\n\n| requests | warm, µs | worst second, µs | ratio (limit ${WORST_SECOND_LIMIT}) | each second, µs |\n| --- | --- | --- | --- | --- |\n`,
  )
  for (const kind of kinds) {
    const subject = await open(kind, upstream)
    const seconds: number[] = []
    while (seconds.length < LOAD_SECONDS) seconds.push(await secondOfLoad(subject))
    const warm = median(seconds.slice(-5))
    const worst = Math.max(...seconds)
    process.stdout.write(
      `| ${[kind.name, warm.toFixed(0), worst.toFixed(0), (worst / warm).toFixed(2), seconds.map((us) => us.toFixed(0)).join(' ')].join(' | ')} |\n`,
    )
    await subject.process.stop()
  }
}

async function secondOfLoad(subject: Subject): Promise<number> {
  const endsAtMs = performance.now() + 1_000
  const beforeUs = processorTimeUs(subject.process.pid)
  let requests = 0
  while (performance.now() < endsAtMs) {
    await load(subject, 100)
    requests += 100
  }
  return (processorTimeUs(subject.process.pid) - beforeUs) / requests
}

async function cost(subject: Subject, requests: number): Promise<number> {
  const beforeUs = processorTimeUs(subject.process.pid)
  await load(subject, requests)
  return (processorTimeUs(subject.process.pid) - beforeUs) / requests
}

async function load({ kind, origin }: Subject, requests: number): Promise<void> {
  const { path, body } = kind
  const { failures } = await runLoad({ origin, path, key: KEY, body, concurrency: CONCURRENCY, requests })
  if (failures > 0) throw new Error(`${failures} of ${requests} requests failed`)
}

async function open(kind: Kind, upstream: string): Promise<Subject> {
  const port = await findFreePort()
  const file = join(folder, `${port}.yaml`)
  const config = accountedConfiguration({ accounting: 'none', upstream, data: join(folder, String(port)) })
  writeFileSync(file, config.replace('listen: 127.0.0.1:0', `listen: 127.0.0.1:${port}`))
  const origin = `http://127.0.0.1:${port}`
  const started = await startProcess({
    core: 0,
    args: [join(root, 'bin/headgate.js'), 'serve', '--config', file],
    whenReady: () => untilReady(origin),
  })
  running.push(started)
  return { kind, origin, process: started }
}

async function untilReady(origin: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${origin}/readyz`).catch(() => undefined)
    if (answer?.ok === true) return
    await setTimeout(10)
  }
}
