import { randomBytes } from 'node:crypto'
import { cpSync, existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { listParts } from '../list-parts.ts'
import { type StartedProcess, startProcess } from '../start-process.ts'
import { until } from '../until.ts'
import { openBalancer } from './open-balancer.ts'
import { skipRunning } from './running-suite.ts'
import type { Topology } from './topology.ts'

export interface ProcessesPlan {
  readonly topology: Exclude<Topology, 'one process'>
  /** The file, without `listen` and `data`. */
  readonly yaml: string
  /** The folder of the file and the data. */
  readonly folder: string
  /** The console that is served; undefined where a test needs no pages of it. */
  readonly consoleFolder?: string | undefined
  readonly environment: Readonly<Record<string, string>>
}

/** A gateway of several processes. */
export interface StartedProcesses {
  readonly url: string
  /** The link's secret for the first owner, while nobody has used it. */
  firstOwnerSecret(): string | undefined
  /** Ends all in order, so that others can be started on the same data. */
  close(): Promise<void>
  /** Ends all at once, and drops what they stored outside of their folder. */
  kill(): Promise<void>
}

const NODES = 2
const STARTS_WITHIN_MS = 60_000
const CLOSES_WITHIN_MS = 10_000

export function startProcesses(plan: ProcessesPlan): Promise<StartedProcesses> {
  if (plan.consoleFolder !== undefined) serveConsole(plan.consoleFolder)
  if (/^public_url:/m.test(plan.yaml)) skipRunning('a process says its public address, and not its port')
  return plan.topology === 'workers' ? startWithWorkers(plan) : startNodes(plan)
}

/** Puts the console where the program of scripts/test-topologies.ts looks for it. */
function serveConsole(folder: string): void {
  const launcher = process.env['HEADGATE_TEST_LAUNCHER']
  if (launcher === undefined) throw new Error('HEADGATE_TEST_LAUNCHER names no program')
  cpSync(folder, join(dirname(launcher), '..', 'dist', 'console'), { recursive: true })
}

async function startWithWorkers({ yaml, folder, environment }: ProcessesPlan): Promise<StartedProcesses> {
  const options = { environment, folder, startsWithinMs: STARTS_WITHIN_MS }
  const started = await startProcess(`workers: 2\n${yaml}`, {}, options)
  return {
    url: started.url,
    firstOwnerSecret: () => readFirstOwner(join(folder, 'data')),
    close: () => end(started),
    async kill() {
      const parts = listParts(started.child.pid ?? 0)
      await started[Symbol.asyncDispose]()
      for (const { pid } of parts) endNow(pid)
    },
  }
}

/** The databases of folders, which a gateway that is started again finds as it left them. */
const databases = new Map<string, string>()

async function startNodes({ yaml, folder, environment }: ProcessesPlan): Promise<StartedProcesses> {
  const database = databases.get(folder) ?? (await createDatabase())
  databases.set(folder, database)
  const dataFolders = Array.from({ length: NODES }, (_, index) =>
    join(folder, index === 0 ? 'data' : `data-${index + 1}`),
  )
  await using cleanup = new AsyncDisposableStack()
  const start = async (dataFolder: string) =>
    cleanup.use(
      await startProcess(
        yaml,
        {},
        {
          environment: {
            HEADGATE_SECRET: 'node-secret-0123456789abcdef',
            ...environment,
            HEADGATE_DATABASE_URL: database,
            HEADGATE_DATA: dataFolder,
          },
          folder,
          startsWithinMs: STARTS_WITHIN_MS,
        },
      ),
    )
  const nodes = await Promise.all(dataFolders.map(start))
  if (nodes.some(({ url }) => url.startsWith('https:')))
    skipRunning('the balancer reads no TLS, which ends at the nodes')
  const balancer = cleanup.use(await openBalancer(nodes.map(({ url }) => url)))
  const open = cleanup.move()
  return {
    url: balancer.url,
    firstOwnerSecret: () => dataFolders.map(readFirstOwner).find((secret) => secret !== undefined),
    async close() {
      await Promise.all(nodes.map(end))
      await balancer[Symbol.asyncDispose]()
    },
    async kill() {
      await open.disposeAsync()
      databases.delete(folder)
      await query(`drop database if exists ${nameOf(database)} with (force)`)
    },
  }
}

function readFirstOwner(dataFolder: string): string | undefined {
  const path = join(dataFolder, 'first-owner')
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined
}

/** A second signal ends a process that still waits for answers. */
async function end({ child }: StartedProcess): Promise<void> {
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  child.kill('SIGTERM')
  await until('the process ends', hasEnded, { deadlineMs: 3_000 }).catch(() => child.kill('SIGTERM'))
  await until('the process ends', hasEnded, { deadlineMs: CLOSES_WITHIN_MS })
}

function endNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended with its supervisor.
  }
}

async function createDatabase(): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`
  await query(`create database ${name}`)
  const url = new URL(serverUrl())
  url.pathname = `/${name}`
  return url.href
}

const nameOf = (database: string) => new URL(database).pathname.slice(1)

/** The server that scripts/test-topologies.ts has started. */
function serverUrl(): string {
  const url = process.env['HEADGATE_TEST_DATABASE_SERVER']
  if (url === undefined) throw new Error('HEADGATE_TEST_DATABASE_SERVER names no PostgreSQL')
  return url
}

async function query(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl() })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
