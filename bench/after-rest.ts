// The cost of a process that nobody asked for a while, with Node's options as they are given and without the one that
// keeps compiled code through a rest: time before the first token, processor time of a call, resident memory.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import nodeOptions from '../bin/node-options.json' with { type: 'json' }
import { describeRun } from './describe-run.ts'
import { writeHeadgateConfiguration } from './headgate-configuration.ts'
import { runLoad } from './load.ts'
import { makeBody } from './make-body.ts'
import { measureAdded, WARM_UP_PAIRS } from './paired-latency.ts'
import { processorTimeUs, residentBytes } from './processor-time.ts'
import { type StartedProcess, startProcess } from './start-process.ts'

const PAIRS = Number(process.env['BENCH_PAIRS'] ?? 101)
/** Connections to an upstream close after 30 s, and Node's memory reducer comes some seconds later. */
const REST_MS = 45_000
const RESTS = 2
const WARM_UP_REQUESTS = 8_000
const UPSTREAM_DELAY_MS = 20
const FRAMES = 2
const OPTION = '--no-memory-reducer-favors-memory'
const FIRST_TOKEN = '"content":" '
const PATH = '/v1/chat/completions'
const key = 'bench-key-000-0123456789abcdef'
const body = makeBody(1, true)

interface Subject {
  readonly name: string
  readonly process: StartedProcess
  readonly origin: string
}

const folder = mkdtempSync(join(tmpdir(), 'headgate-rest-'))
const started: StartedProcess[] = []
try {
  const upstream = await openMock()
  const subjects = [
    await openSubject('as given', [...nodeOptions], upstream),
    await openSubject(
      `without ${OPTION}`,
      nodeOptions.filter((option) => option !== OPTION),
      upstream,
    ),
  ]
  process.stdout.write(`${describeRun()}, ${PAIRS} pairs, 1 KB, stream\n\n`)
  process.stdout.write(
    '| options | rests of 45 s before | added, ms | processor time of a call, µs | resident, MB |\n',
  )
  process.stdout.write('| --- | --- | --- | --- | --- |\n')
  for (const subject of subjects) await warmUp(subject)
  for (let rests = 0; rests <= RESTS; rests += 1) {
    if (rests > 0) await setTimeout(REST_MS)
    for (const subject of subjects) process.stdout.write(`${await measure(subject, upstream, rests)}\n`)
  }
} finally {
  await Promise.all(started.map((one) => one.stop()))
  rmSync(folder, { recursive: true, force: true })
}

async function openMock(): Promise<string> {
  const environment = { FRAMES: String(FRAMES), DELAY_MS: String(UPSTREAM_DELAY_MS) }
  const mock = await startProcess({ core: 1, args: ['bench/mock-upstream.ts'], environment })
  started.push(mock)
  return `http://127.0.0.1:${mock.firstLine}`
}

async function openSubject(name: string, options: readonly string[], upstream: string): Promise<Subject> {
  const own = mkdtempSync(join(folder, 'subject-'))
  const file = join(own, 'headgate.yaml')
  writeFileSync(file, writeHeadgateConfiguration({ level: 'everything', upstream, folder: own, keys: [key] }))
  const gateway = await startProcess({ core: 0, args: [...options, 'bench/headgate.ts', file] })
  started.push(gateway)
  return { name, process: gateway, origin: `http://127.0.0.1:${gateway.firstLine}` }
}

async function warmUp({ origin }: Subject): Promise<void> {
  for (const isStream of [false, true]) {
    const call = { origin, path: PATH, key, headers: {}, body: makeBody(1, isStream) }
    await runLoad({ ...call, concurrency: 64, requests: WARM_UP_REQUESTS })
  }
}

async function measure(subject: Subject, upstream: string, rests: number): Promise<string> {
  const { pid } = subject.process
  const resident = residentBytes(pid) / 1024 / 1024
  const before = processorTimeUs(pid)
  const { medianMs } = await measureAdded({
    direct: { origin: upstream, headers: {} },
    through: { origin: subject.origin, headers: { authorization: `Bearer ${key}` } },
    path: PATH,
    body,
    pairs: PAIRS,
    marker: FIRST_TOKEN,
  })
  const perCall = (processorTimeUs(pid) - before) / (PAIRS + WARM_UP_PAIRS)
  return `| ${subject.name} | ${rests} | ${medianMs.toFixed(2)} | ${perCall.toFixed(0)} | ${resident.toFixed(0)} |`
}
