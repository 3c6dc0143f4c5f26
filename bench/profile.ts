// Where the processor time of a request goes, by stage: what reads it, checks its key, plans, relays, records it, and
// what the runtime takes for sockets and garbage. A warm gateway is sampled under load; the times of its threads come
// from the kernel. Results go to bench/results/profile.{md,json}.
// node bench/profile.ts [--details]: also prints the functions that take most.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import nodeOptions from '../bin/node-options.json' with { type: 'json' }
import { accountedConfiguration } from './accounted-configuration.ts'
import { describeRun } from './describe-run.ts'
import { runLoad } from './load.ts'
import { makeBody } from './make-body.ts'
import { type CpuProfile, type StageTime, sumByFunction, sumByStage } from './profile-stages.ts'
import { type StartedProcess, startProcess } from './start-process.ts'

interface Scenario {
  readonly name: string
  readonly path: string
  readonly body: Buffer
  readonly requests: number
  readonly concurrency: number
  /** Units in one request: chunks of a stream. */
  readonly units: number
}

const FRAMES = 300
const KEY = 'bench-key-0123456789abcdef'
const WARM_UP_REQUESTS = Number(process.env['BENCH_WARM_UP'] ?? 30_000)
const MOST_NAMED = 40
const withDetails = process.argv.includes('--details')
const path = '/v1/chat/completions'
const scenarios: readonly Scenario[] = [
  { name: 'whole, 1 KB', path, body: makeBody(1, false), requests: 10_000, concurrency: 64, units: 1 },
  { name: 'whole, 64 KB', path, body: makeBody(64, false), requests: 4_000, concurrency: 16, units: 1 },
  {
    name: 'stream, verbatim, a chunk',
    path,
    body: makeBody(1, true),
    requests: 150,
    concurrency: 32,
    units: FRAMES,
  },
]

interface Measured {
  readonly name: string
  readonly unitUs: number
  readonly threads: Readonly<Record<string, number>>
  readonly stages: readonly StageTime[]
}

const folder = mkdtempSync(join(tmpdir(), 'headgate-profile-'))
const running: StartedProcess[] = []
try {
  report(await measureAll())
} finally {
  await Promise.all(running.map((one) => one.stop()))
  rmSync(folder, { recursive: true, force: true })
}

async function measureAll(): Promise<readonly Measured[]> {
  const mock = await start(1, ['bench/mock-upstream.ts'], { FRAMES: String(FRAMES) })
  const config = join(folder, 'headgate.yaml')
  const upstream = `http://127.0.0.1:${mock.firstLine}`
  writeFileSync(config, accountedConfiguration({ accounting: 'exact', upstream, data: join(folder, 'data') }))
  const profilePath = join(folder, 'headgate.cpuprofile')
  const gateway = await start(0, [...nodeOptions, 'bench/profiled-headgate.ts', config, profilePath])
  const measured: Measured[] = []
  for (const scenario of scenarios) measured.push(await measure(scenario, gateway, profilePath))
  return measured
}

async function measure(scenario: Scenario, gateway: StartedProcess, profilePath: string): Promise<Measured> {
  const origin = `http://127.0.0.1:${gateway.firstLine}`
  const load = {
    origin,
    path: scenario.path,
    key: KEY,
    body: scenario.body,
    concurrency: scenario.concurrency,
  }
  await runLoad({ ...load, requests: Math.ceil(WARM_UP_REQUESTS / scenario.units) })
  const before = threadTimesUs(gateway.pid)
  await runLoad({ ...load, requests: scenario.requests })
  const after = threadTimesUs(gateway.pid)
  process.kill(gateway.pid, 'SIGUSR2')
  await runLoad({ ...load, requests: scenario.requests })
  process.kill(gateway.pid, 'SIGUSR2')
  const profile = await takeProfile(profilePath)
  const units = scenario.requests * scenario.units
  const threads = Object.fromEntries(
    [...after].map(([name, us]) => [name, (us - (before.get(name) ?? 0)) / units]),
  )
  if (withDetails) printFunctions(scenario.name, profile, units)
  const unitUs = Object.values(threads).reduce((sum, us) => sum + us, 0)
  return { name: scenario.name, unitUs, threads, stages: sumByStage(profile) }
}

/** The profile, once it is written; it is taken away, so that the next one is not mistaken for it. */
async function takeProfile(profilePath: string): Promise<CpuProfile> {
  while (!existsSync(profilePath)) await pause(100)
  await pause(500)
  const profile: CpuProfile = JSON.parse(readFileSync(profilePath, 'utf8'))
  rmSync(profilePath)
  return profile
}

/** Processor time of each thread by name: the main one, workers, the compiler's and collector's, the pool's. */
function threadTimesUs(pid: number): Map<string, number> {
  const times = new Map<string, number>()
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const name =
      thread === String(pid) ? 'main' : readFileSync(`/proc/${pid}/task/${thread}/comm`, 'utf8').trim()
    const [ranNs] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')
    times.set(name, (times.get(name) ?? 0) + Number(ranNs) / 1_000)
  }
  return times
}

function printFunctions(name: string, profile: CpuProfile, units: number): void {
  process.stdout.write(`\n${name}\n`)
  for (const { label, us } of sumByFunction(profile).slice(0, MOST_NAMED))
    process.stdout.write(`${(us / units).toFixed(2).padStart(8)}  ${label}\n`)
}

function report(measured: readonly Measured[]): void {
  const lines = measured.flatMap(({ name, unitUs, threads, stages }) => [
    `## ${name}: ${unitUs.toFixed(1)} µs`,
    '',
    `Threads: ${Object.entries(threads)
      .toSorted(([, one], [, other]) => other - one)
      .map(([thread, us]) => `${thread} ${us.toFixed(1)}`)
      .join(', ')}.`,
    '',
    '| stage of the main thread | share |',
    '| --- | --- |',
    ...stages.map(({ stage, share }) => `| ${stage} | ${(share * 100).toFixed(1)} % |`),
    '',
  ])
  const text = [
    `${describeRun()}. Five exact budgets, limits, ledger, log and request log.`,
    '',
    'A sample belongs to the innermost function of the gateway or of undici that is on the stack; `in Node` is the time of',
    'functions of Node and of the kernel that it calls. Samples are taken by the clock: on a busy machine a stage that waits',
    'for the kernel has too large a share. The times of the threads are processor time.',
    '',
    ...lines,
  ].join('\n')
  process.stdout.write(`\n${text}`)
  mkdirSync('bench/results', { recursive: true })
  writeFileSync('bench/results/profile.md', text)
  writeFileSync(
    'bench/results/profile.json',
    `${JSON.stringify({ run: describeRun(), measured }, null, 2)}\n`,
  )
}

async function start(core: number, args: readonly string[], environment: Record<string, string> = {}) {
  const one = await startProcess({ core, args, environment })
  running.push(one)
  return one
}
