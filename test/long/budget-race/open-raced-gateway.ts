import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { PostgresServer } from '../../support/postgres.ts'
import { startGateway } from '../../support/start-gateway.ts'
import { type ProcessOptions, type StartedProcess, startProcess } from '../../support/start-process.ts'

/** A gateway whose ledger is read once it has ended. */
export interface RacedGateway extends AsyncDisposable {
  /** One address, or that of each node. */
  readonly urls: readonly string[]
  /** Ends it in good order. */
  end(): Promise<void>
  readBooks(): Promise<RacedBooks>
}

/** What a ledger says in the end, in nano-dollars. */
export interface RacedBooks {
  readonly windows: readonly { readonly counter: string; readonly spent: number }[]
  /** The sums of the rows of each key. */
  readonly keys: readonly SpentByKey[]
  readonly openIntents: number
}

export interface SpentByKey {
  readonly id: string
  readonly name: string
  readonly cost: number
  readonly charged: number
}

export interface RacedProcesses {
  /** Processes of one machine; 0 for a gateway in the process of the suite. */
  readonly workers: number
  /** Nodes, each with a database of its own for each gateway on this server. */
  readonly nodes: number
  readonly server: PostgresServer | undefined
}

const STARTS_WITHIN_MS = 120_000
const nodeSecrets = {
  HEADGATE_SECRET: 'node-secret-0123456789abcdef',
  HEADGATE_ADMIN_TOKEN: 'admin-token-0123456789abcdef',
}

export function openRacedGateway(
  yaml: string,
  { workers, nodes, server }: RacedProcesses,
): Promise<RacedGateway> {
  if (server !== undefined) return openNodes(yaml, server, nodes)
  return workers === 0 ? openInside(yaml) : openWorkers(yaml, workers)
}

async function openInside(yaml: string): Promise<RacedGateway> {
  const gateway = await startGateway(yaml)
  return {
    urls: [gateway.url],
    end: () => gateway.close(5_000),
    readBooks: async () => readFile(gateway.dataFolder),
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  }
}

async function openWorkers(yaml: string, workers: number): Promise<RacedGateway> {
  const started = await start(`workers: ${workers}\n${yaml}`)
  return {
    urls: [started.url],
    end: () => end(started),
    readBooks: async () => readFile(join(started.folder, 'data')),
    [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
  }
}

async function openNodes(yaml: string, server: PostgresServer, count: number): Promise<RacedGateway> {
  await using cleanup = new AsyncDisposableStack()
  const database = await server.createDatabase()
  const environment = { ...nodeSecrets, HEADGATE_DATABASE_URL: database }
  const startNode = async () => cleanup.use(await start(yaml, { environment }))
  const first = await startNode()
  const others = await Promise.all(Array.from({ length: count - 1 }, startNode))
  const nodes = [first, ...others]
  const open = cleanup.move()
  return {
    urls: nodes.map(({ url }) => url),
    end: async () => void (await Promise.all(nodes.map(end))),
    readBooks: () => readDatabase(server, database),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

async function start(yaml: string, options: ProcessOptions = {}): Promise<StartedProcess> {
  const silent = `log: { level: silent }\n${yaml}`
  const started = await startProcess(silent, {}, { ...options, startsWithinMs: STARTS_WITHIN_MS })
  // A race that is given up leaves no process behind.
  const kill = () => void started.child.kill('SIGKILL')
  process.once('exit', kill)
  started.child.once('exit', () => process.off('exit', kill))
  return started
}

async function end({ child }: StartedProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
}

function readFile(dataFolder: string): RacedBooks {
  const database = new DatabaseSync(join(dataFolder, 'ledger.db'), { readOnly: true })
  const windows = database
    .prepare('select c.name as counter, w.spent from windows as w join counters as c on c.id = w.counter')
    .all()
  const keys = database
    .prepare(
      `select i.name as id, k.name as name, sum(l.cost) as cost, sum(l.charged) as charged
       from ledger as l join subjects as s on s.id = l.subject
       join names as i on i.id = s.key_id join names as k on k.id = s.key_name group by s.key_id, s.key_name`,
    )
    .all()
  const [intents = {}] = database.prepare('select count(*) as count from open_intents').all()
  database.close()
  return booksOf(windows, keys, intents)
}

async function readDatabase(server: PostgresServer, url: string): Promise<RacedBooks> {
  const windows = await server.query(
    url,
    `select w.counter, settled + (select coalesce(sum(l.spent), 0) from headgate.budget_leases as l
       where l.counter = w.counter and l.window_start_ms = w.window_start_ms) as spent
     from headgate.budget_windows as w`,
  )
  const keys = await server.query(
    url,
    `select key_id as id, key_name as name, sum(cost) as cost, sum(charged) as charged
     from headgate.ledger_rows group by key_id, key_name`,
  )
  const [intents = {}] = await server.query(url, 'select count(*) as count from headgate.ledger_intents')
  return booksOf(windows, keys, intents)
}

type Row = Readonly<Record<string, unknown>>

function booksOf(windows: readonly Row[], keys: readonly Row[], intents: Row): RacedBooks {
  return {
    windows: windows.map(({ counter, spent }) => ({ counter: String(counter), spent: Number(spent) })),
    keys: keys.map(({ id, name, cost, charged }) => ({
      id: String(id),
      name: String(name),
      cost: Number(cost),
      charged: Number(charged),
    })),
    openIntents: Number(intents['count']),
  }
}
