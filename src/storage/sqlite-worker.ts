// The thread that owns the SQLite file, so that an fsync never stalls the event loop of the requests.
import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type {
  SqliteFault,
  SqliteReply,
  SqliteRequest,
  SqliteResult,
  SqliteStatement,
} from './sqlite-protocol.ts'

const BUSY_TIMEOUT_MS = 1_000

if (parentPort !== null) serve(parentPort, String(workerData))

function serve(port: MessagePort, file: string): void {
  const reply = (message: SqliteReply): void => port.postMessage(message)
  try {
    const database = openDatabase(file)
    port.on('message', (request: SqliteRequest) => {
      reply(answer(database, request))
      if (request.type === 'close') port.close()
    })
    reply({ type: 'opened' })
  } catch (error) {
    reply({ type: 'failed', id: undefined, fault: describeFault(error) })
  }
}

function openDatabase(file: string): DatabaseSync {
  // SQLite makes the files beside it with the same rights.
  closeSync(openSync(file, 'a', 0o600))
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS })
  try {
    // One process owns the file: the lock is taken at the first access and kept.
    demand(database, 'locking_mode', 'exclusive')
    demand(database, 'journal_mode', 'wal')
    // With anything less, the last commits before a power cut may be lost.
    demand(database, 'synchronous', 2)
    demand(database, 'foreign_keys', 1)
    database.exec('begin immediate; commit')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Sets a pragma and reads it back, as SQLite ignores in silence what it cannot do. */
function demand(database: DatabaseSync, name: string, value: string | number): void {
  database.exec(`pragma ${name} = ${value}`)
  const row = database.prepare(`pragma ${name}`).get()
  if (row?.[name] !== value) {
    throw new Error(`SQLite cannot be set to ${name} = ${value}, it stays at ${row?.[name]}`)
  }
}

function answer(database: DatabaseSync, request: SqliteRequest): SqliteReply {
  const { id } = request
  try {
    if (request.type === 'run') return { type: 'done', id, results: run(database, request) }
    database.close()
    return { type: 'done', id, results: [] }
  } catch (error) {
    return { type: 'failed', id, fault: describeFault(error) }
  }
}

interface Batch {
  readonly statements: readonly SqliteStatement[]
  readonly atomic: boolean
}

function run(database: DatabaseSync, { statements, atomic }: Batch): SqliteResult[] {
  if (!atomic) return statements.map((statement) => execute(database, statement))
  database.exec('begin immediate')
  try {
    const results = statements.map((statement) => execute(database, statement))
    database.exec('commit')
    return results
  } catch (error) {
    if (database.isTransaction) database.exec('rollback')
    throw error
  }
}

function execute(database: DatabaseSync, { sql, parameters }: SqliteStatement): SqliteResult {
  const statement = database.prepare(sql)
  if (statement.columns().length > 0) {
    const rows = statement.all(...parameters)
    return { rows, changes: rows.length }
  }
  return { rows: [], changes: Number(statement.run(...parameters).changes) }
}

function describeFault(error: unknown): SqliteFault {
  if (!(error instanceof Error)) return { message: String(error), code: undefined }
  const code = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : undefined
  return { message: error.message, code }
}
