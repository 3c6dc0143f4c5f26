// How long a packed gateway takes from its start to the first answer, and what it holds when idle: on SQLite, with
// 1,000 keys in the data folder.
// node bench/start.ts [FOLDER …], where each FOLDER is an unpacked package; without one, this checkout is packed.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { openDataFolder } from '../src/app/open-data-folder.ts'
import { systemRandom } from '../src/kit/random/random.ts'
import { systemClock } from '../src/kit/time/clock.ts'
import { describeRun } from './describe-run.ts'
import { findFreePort } from './find-free-port.ts'
import { makeBody } from './make-body.ts'
import { median, quantile } from './median.ts'
import { residentBytes } from './processor-time.ts'
import { startProcess } from './start-process.ts'

const STARTS = Number(process.env['BENCH_STARTS'] ?? 9)
const KEYS = 1_000
/** The gateway gives back the memory that its start took within this time. */
const IDLE_MS = Number(process.env['BENCH_IDLE_MS'] ?? 30_000)
const RETRY_MS = 2
const BYTES_PER_MB = 1e6
const root = join(import.meta.dirname, '..')
const body = makeBody(1, false)

interface Measured {
  readonly firstAnswerMs: Readonly<Record<Cores, number[]>>
  readonly idleBytes: Record<Cores, number>
}

/** The start on one core, and on all that the machine has: the threads of the stores start beside the rest. */
type Cores = 'one' | 'all'

const folder = mkdtempSync(join(tmpdir(), 'headgate-start-'))
const mock = await startProcess({ core: 1, args: [join(root, 'bench/mock-upstream.ts')] })
try {
  const given = process.argv.slice(2).map((path) => resolve(path))
  const packages = given.length > 0 ? given : [pack()]
  const secret = await createKeys(join(folder, 'data'))
  const measured = new Map(
    packages.map((name): [string, Measured] => [
      name,
      { firstAnswerMs: { one: [], all: [] }, idleBytes: { one: 0, all: 0 } },
    ]),
  )
  for (let start = 0; start < STARTS; start += 1) {
    for (const [name, { firstAnswerMs, idleBytes }] of measured) {
      for (const cores of ['all', 'one'] as const) {
        const isIdleMeasured = start === STARTS - 1
        const result = await measure(name, { secret, cores, isIdleMeasured })
        firstAnswerMs[cores].push(result.firstAnswerMs)
        if (result.idleBytes !== undefined) idleBytes[cores] = result.idleBytes
      }
    }
  }
  process.stdout.write(`${describeRun()}, ${STARTS} starts each, in turn, ${KEYS} keys in SQLite.\n\n`)
  process.stdout.write(
    '| package | start to first answer, ms | quartiles | on one core | quartiles | idle memory, MB | on one core |\n| --- | --- | --- | --- | --- | --- | --- |\n',
  )
  for (const [name, { firstAnswerMs, idleBytes }] of measured) {
    const cells = [firstAnswerMs.all, firstAnswerMs.one].map(
      (times) =>
        `${median(times).toFixed(0)} | ${[0.25, 0.75].map((share) => quantile(times, share).toFixed(0)).join('–')}`,
    )
    process.stdout.write(
      `| ${given.length === 0 ? 'this' : name} | ${cells.join(' | ')} | ${(idleBytes.all / BYTES_PER_MB).toFixed(0)} | ${(idleBytes.one / BYTES_PER_MB).toFixed(0)} |\n`,
    )
  }
} finally {
  await mock.stop()
  rmSync(folder, { recursive: true, force: true })
}

/** Packs this checkout and unpacks it, with the packages of the checkout. */
function pack(): string {
  const target = join(folder, 'unpacked')
  mkdirSync(target)
  execFileSync('npm', ['pack', '--silent', '--pack-destination', target], { cwd: root })
  const [archive = ''] = readdirSync(target)
  execFileSync('tar', ['-xzf', archive], { cwd: target })
  const unpacked = join(target, 'package')
  symlinkSync(join(root, 'node_modules'), join(unpacked, 'node_modules'))
  return unpacked
}

/** The secret of the last one. */
async function createKeys(dataFolder: string): Promise<string> {
  const data = openDataFolder(dataFolder, { clock: systemClock, random: systemRandom })
  const keys = await data.openKeys(undefined)
  let secret = ''
  for (let index = 0; index < KEYS; index += 1)
    secret = (await keys.operations.create({ name: `service-${index}`, models: ['*'] })).secret
  await keys.close()
  return secret
}

interface Start {
  readonly secret: string
  readonly cores: Cores
  readonly isIdleMeasured: boolean
}

async function measure(packageFolder: string, { secret, cores, isIdleMeasured }: Start) {
  const port = await findFreePort()
  const file = join(folder, 'headgate.yaml')
  writeFileSync(file, configuration(port))
  const startedAtMs = performance.now()
  const starting = startProcess({
    core: cores === 'one' ? 0 : undefined,
    args: [join(packageFolder, 'bin/headgate.js'), 'serve', '--config', file],
  })
  await firstAnswer(port, secret)
  const firstAnswerMs = performance.now() - startedAtMs
  const gateway = await starting
  if (isIdleMeasured) await setTimeout(IDLE_MS)
  const idleBytes = isIdleMeasured ? residentBytes(gateway.pid) : undefined
  await gateway.stop()
  return { firstAnswerMs, idleBytes }
}

async function firstAnswer(port: number, secret: string): Promise<void> {
  for (;;) {
    try {
      const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body,
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`the first answer is ${response.status}: ${text}`)
      return
    } catch (error) {
      // Nothing listens yet.
      if (!(error instanceof TypeError)) throw error
      await setTimeout(RETRY_MS)
    }
  }
}

function configuration(port: number): string {
  return `listen: 127.0.0.1:${port}
data: ${join(folder, 'data')}
channels:
  - name: chat
    provider: openai-compatible
    base_url: http://127.0.0.1:${mock.firstLine}/v1
    api_key: upstream-key-0123456789
    allow_private: true
    models: { bench: bench-upstream }
`
}
