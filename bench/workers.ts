// What a second worker adds: requests a second and processor time of a request with one worker and with two, each
// worker held to a part of a core by a cgroup, and how streams spread over two. Linux, as root:
// node bench/workers.ts
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listParts } from '../test/support/list-parts.ts'
import { accountedConfiguration } from './accounted-configuration.ts'
import { describeRun } from './describe-run.ts'
import { findFreePort } from './find-free-port.ts'
import { runLoad } from './load.ts'
import { makeBody } from './make-body.ts'
import { median, quantile } from './median.ts'
import { processorTimeUs } from './processor-time.ts'
import { type StartedProcess, startProcess } from './start-process.ts'
import { untilAllServe } from './until-all-serve.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 9)
const REQUESTS = Number(process.env['BENCH_REQUESTS'] ?? 6_000)
/** The part of a core that each worker has; the rest of the machine is for load and provider. */
const CORE_SHARE = Number(process.env['BENCH_CORE_SHARE'] ?? 0.4)
const WARM_UP_REQUESTS = 40_000
const CONCURRENCY = 64
const STREAMS = 1_000
const THROUGHPUT_LIMIT = 1.85
const COST_LIMIT = 1.08
const SPREAD_LIMIT = 0.1
const PERIOD_US = 20_000
const KEY = 'bench-key-0123456789abcdef'
const PATH = '/v1/chat/completions'
const CGROUPS = '/sys/fs/cgroup/cpu'
const root = join(import.meta.dirname, '..')
const body = makeBody(1, false)

interface Installation {
  readonly workers: number
  readonly process: StartedProcess
  readonly port: number
  readonly perSecond: number[]
  readonly costsUs: number[]
}

const folder = mkdtempSync(join(tmpdir(), 'headgate-workers-'))
const started: StartedProcess[] = []
const groups: string[] = []
try {
  const mock = await start({ args: [join(root, 'bench/mock-upstream.ts')] })
  const upstream = `http://127.0.0.1:${mock.firstLine}`
  const all = [await open(1, upstream), await open(2, upstream)]
  for (const one of all) await load(one, WARM_UP_REQUESTS)
  for (const one of all) holdWorkers(one)
  for (let round = 0; round < ROUNDS; round += 1)
    for (const one of round % 2 === 0 ? all : all.toReversed()) await measure(one)
  report(all)
  await reportSpread()
} finally {
  await Promise.all(started.map((one) => one.stop()))
  for (const group of groups) rmdirSync(group)
  rmSync(folder, { recursive: true, force: true })
}

async function start(options: Parameters<typeof startProcess>[0]): Promise<StartedProcess> {
  const one = await startProcess(options)
  started.push(one)
  return one
}

async function open(workers: number, upstream: string): Promise<Installation> {
  const port = await findFreePort()
  const name = `${workers}-workers-${port}`
  const file = join(folder, `${name}.yaml`)
  const data = join(folder, name)
  const text = accountedConfiguration({ accounting: 'estimate', upstream, data, log: 'silent' })
  writeFileSync(file, text.replace('listen: 127.0.0.1:0', `listen: 127.0.0.1:${port}`))
  const args = [join(root, 'bin/headgate.js'), 'serve', '--config', file, '--workers', String(workers)]
  const process = await start({ args, whenReady: () => untilAllServe(data) })
  return { workers, process, port, perSecond: [], costsUs: [] }
}

function load({ port }: Pick<Installation, 'port'>, requests: number) {
  const origin = `http://127.0.0.1:${port}`
  return runLoad({ origin, path: PATH, key: KEY, body, concurrency: CONCURRENCY, requests })
}

/** Gives each worker a cgroup of its own. The kernel shares it out in short periods, so that answers wait less. */
function holdWorkers({ process }: Installation): void {
  for (const pid of workersOf(process)) {
    const group = join(CGROUPS, `headgate-bench-${pid}`)
    mkdirSync(group)
    groups.push(group)
    writeFileSync(join(group, 'cpu.cfs_period_us'), String(PERIOD_US))
    writeFileSync(join(group, 'cpu.cfs_quota_us'), String(PERIOD_US * CORE_SHARE))
    writeFileSync(join(group, 'cgroup.procs'), String(pid))
  }
}

function workersOf({ pid }: StartedProcess): readonly number[] {
  return listParts(pid).flatMap((one) => (one.part === 'worker' ? [one.pid] : []))
}

async function measure(one: Installation): Promise<void> {
  const pids = [one.process.pid, ...listParts(one.process.pid).map(({ pid }) => pid)]
  const spentUs = () => pids.reduce((sum, pid) => sum + processorTimeUs(pid), 0)
  const [beforeUs, beforeMs] = [spentUs(), performance.now()]
  const { failures } = await load(one, REQUESTS * one.workers)
  if (failures > 0) throw new Error(`${failures} requests failed`)
  one.perSecond.push(((REQUESTS * one.workers) / (performance.now() - beforeMs)) * 1_000)
  one.costsUs.push((spentUs() - beforeUs) / (REQUESTS * one.workers))
}

function report([one, two]: readonly Installation[]): void {
  if (one === undefined || two === undefined) return
  const rows = [
    {
      name: 'requests a second',
      of: (each: Installation) => each.perSecond,
      limit: THROUGHPUT_LIMIT,
      isLeast: true,
    },
    { name: 'µs a request', of: (each: Installation) => each.costsUs, limit: COST_LIMIT, isLeast: false },
  ]
  const lines = rows.map(({ name, of, limit, isLeast }) => {
    const ratios = of(two).map((value, round) => value / (of(one)[round] ?? Number.NaN))
    const ratio = median(ratios)
    judge(isLeast ? ratio >= limit : ratio <= limit)
    const quartiles = [0.25, 0.75].map((share) => quantile(ratios, share).toFixed(2)).join('–')
    return `| ${name} | ${median(of(one)).toFixed(0)} | ${median(of(two)).toFixed(0)} | ${ratio.toFixed(2)} | ${quartiles} | ${isLeast ? 'at least' : 'at most'} ${limit} |`
  })
  process.stdout.write(
    `${describeRun()}, each worker held to ${CORE_SHARE} of a core, ${ROUNDS} interleaved rounds of ${REQUESTS} requests of 1 KB a worker, ${CONCURRENCY} at once, five estimated budgets. Processor time is that of workers, owner and supervisor.\n\n| figure | one worker | two workers | ratio | quartiles | limit |\n| --- | --- | --- | --- | --- | --- |\n${lines.join('\n')}\n`,
  )
}

/** Opens silent streams and sees how many more sockets each worker has. */
async function reportSpread(): Promise<void> {
  const silent = await start({
    args: [join(root, 'bench/token-upstream.ts')],
    environment: { INTERVAL_MS: '0' },
  })
  const { process: gateway, port } = await open(2, `http://127.0.0.1:${silent.firstLine.trim()}`)
  const workers = workersOf(gateway)
  const before = workers.map(socketsOf)
  const streams = await Promise.all(Array.from({ length: STREAMS }, () => openStream(port)))
  // A stream has a socket to its caller and one to its provider.
  const opened = workers.map((pid, index) => (socketsOf(pid) - (before[index] ?? 0)) / 2)
  const even = STREAMS / workers.length
  const spread = Math.max(...opened.map((count) => Math.abs(count - even) / even))
  judge(spread <= SPREAD_LIMIT)
  process.stdout.write(
    `\n${STREAMS} streams: ${opened.map((count) => count.toFixed(0)).join(' and ')}, at most ${(spread * 100).toFixed(1)} % from even (limit ${SPREAD_LIMIT * 100} %)\n`,
  )
  for (const stream of streams) stream.destroy()
}

function socketsOf(pid: number): number {
  const files = readdirSync(`/proc/${pid}/fd`)
  return files.filter((file) => isSocket(`/proc/${pid}/fd/${file}`)).length
}

function isSocket(file: string): boolean {
  try {
    return readlinkSync(file).startsWith('socket:')
  } catch {
    // Closed meanwhile.
    return false
  }
}

/** Fulfilled with the first bytes of the answer. */
function openStream(port: number): Promise<Socket> {
  const asked = makeBody(1, true)
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const socket = connect(port, '127.0.0.1', () => {
    socket.write(
      `POST ${PATH} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${KEY}\r\ncontent-type: application/json\r\ncontent-length: ${asked.length}\r\n\r\n`,
    )
    socket.write(asked)
  })
  socket.once('data', () => resolve(socket))
  socket.once('error', reject)
  return promise
}

function judge(isMet: boolean): void {
  if (!isMet) process.exitCode = 1
}
