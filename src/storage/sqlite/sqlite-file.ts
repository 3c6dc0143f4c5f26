import { closeSync, existsSync, openSync } from 'node:fs'
import { backup, DatabaseSync, type StatementSync } from 'node:sqlite'
import { OperatorError } from '../../canonical/operator-error.ts'
import { pause } from '../../kit/time/clock.ts'
import { inTransaction } from './in-transaction.ts'
import type { SqliteFault, SqliteResult, SqliteStatement } from './sqlite-protocol.ts'

/** A SQLite file owned by the thread that opened it. Every call blocks until the disk is done. */
export interface SqliteFile {
  /** `atomic`: the statements are one transaction. `single`: each statement commits by itself. */
  run(statements: readonly SqliteStatement[], mode: 'atomic' | 'single'): readonly SqliteResult[]
  /**
   * Copies the database as it is when the copy ends, readable by its owner only. The database can be read and written
   * during the copy. The file must not exist yet.
   */
  copyTo(path: string): Promise<void>
  close(): void
}

/**
 * `full`: no commit is lost in a power cut. With anything less, the last commits may be lost. `normal`: the commits
 * of the last moments may be lost, but the file stays intact; https://sqlite.org/pragma.html#pragma_synchronous, seen
 * 2026-11-20.
 */
export type Durability = 'full' | 'normal'

const synchronous = { normal: 1, full: 2 } as const
// https://sqlite.org/pragma.html#pragma_temp_store, seen 2026-11-23
const TEMP_STORE_MEMORY = 2
const BUSY_TIMEOUT_MS = 1_000

/**
 * Opens or creates the file, readable by its owner only. One process owns the file: it holds the lock until the file
 * is closed.
 */
export function openSqliteFile(file: string, durability: Durability): SqliteFile {
  return wrapDatabase(openDatabase(file, { durability, locking: 'exclusive' }))
}

export interface DatabaseOptions {
  readonly durability: Durability
  /** `normal`: other connections, also of this process, may read the file at the same time. */
  readonly locking: 'exclusive' | 'normal'
}

export function openDatabase(file: string, { durability, locking }: DatabaseOptions): DatabaseSync {
  // SQLite creates its additional files next to this one with the same permissions.
  closeSync(openSync(file, 'a', 0o600))
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS })
  try {
    // An exclusive lock is acquired at the first access and then held.
    demand(database, 'locking_mode', locking)
    demand(database, 'journal_mode', 'wal')
    demand(database, 'synchronous', synchronous[durability])
    demand(database, 'foreign_keys', 1)
    // Otherwise SQLite would write data that exceeds its cache into a file outside the data folder.
    demand(database, 'temp_store', TEMP_STORE_MEMORY)
    database.exec('begin immediate; commit')
  } catch (error) {
    database.close()
    throw error
  }
  return database
}

export function wrapDatabase(database: DatabaseSync): SqliteFile {
  const prepare = createPreparer(database)
  return {
    run: (statements, mode) => run(database, { statements, mode, prepare }),
    copyTo: (path) => copy(database, path),
    close: () => database.close(),
  }
}

// https://sqlite.org/rescode.html, seen 2026-11-20
const SQLITE_BUSY = 5

/** Whether another process holds the file's lock. */
export function isSqliteFileInUse(file: string): boolean {
  if (!existsSync(file)) return false
  try {
    openSqliteFile(file, 'full').close()
    return false
  } catch (error) {
    const { code = 0 } = describeSqliteFault(error)
    // The last eight bits of an extended code are the base code.
    return code % 256 === SQLITE_BUSY
  }
}

/** A step copies 1 MB, so that other messages to the thread wait only that long. */
const PAGES_PER_STEP = 256
const MAX_TRIES = 200
const TRY_AGAIN_MS = 10

/** The first step of a copy fails without a code while a transaction is open (Node 24.21, tried 2026-11-22). */
const transientCodes: readonly (number | undefined)[] = [0, 5, 6]

async function copy(database: DatabaseSync, path: string): Promise<void> {
  closeSync(openSync(path, 'wx', 0o600))
  for (let tries = 1; ; tries += 1) {
    try {
      await backup(database, path, { rate: PAGES_PER_STEP })
      return
    } catch (error) {
      if (tries === MAX_TRIES || !transientCodes.includes(describeSqliteFault(error).code)) throw error
      await pause(TRY_AGAIN_MS)
    }
  }
}

export function describeSqliteFault(error: unknown): SqliteFault {
  if (!(error instanceof Error)) return { message: String(error), code: undefined }
  if (error instanceof OperatorError) {
    const { message, code, happened, advice } = error
    return { message, code: undefined, operatorError: { code, happened, advice } }
  }
  const code = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : undefined
  return { message: error.message, code }
}

/** Sets a pragma and reads it back, since SQLite silently ignores a setting that it cannot apply. */
function demand(database: DatabaseSync, name: string, value: string | number): void {
  database.exec(`pragma ${name} = ${value}`)
  const row = database.prepare(`pragma ${name}`).get()
  if (row?.[name] !== value) {
    throw new OperatorError(
      'database_unusable',
      `SQLite cannot be set to ${name} = ${value}, it stays at ${row?.[name]}`,
      { advice: 'the data folder must be on a local disk, where SQLite can lock files and share memory' },
    )
  }
}

/**
 * A rollback is skipped where no transaction is open. On a full disk or an I/O error SQLite rolls back by itself
 * (https://sqlite.org/lang_transaction.html, seen 2026-11-22); a failing rollback would then hide the cause.
 */
const rollbackStatement = 'rollback'

type Prepare = (sql: string) => StatementSync

/** The maximum number of prepared statements. Beyond that the cache is emptied. */
const MAX_PREPARED_STATEMENTS = 64

/** Prepares each statement once. */
function createPreparer(database: DatabaseSync): Prepare {
  const prepared = new Map<string, StatementSync>()
  return (sql) => {
    const known = prepared.get(sql)
    if (known !== undefined) return known
    if (prepared.size >= MAX_PREPARED_STATEMENTS) prepared.clear()
    const statement = database.prepare(sql)
    prepared.set(sql, statement)
    return statement
  }
}

interface Batch {
  readonly statements: readonly SqliteStatement[]
  readonly mode: 'atomic' | 'single'
  readonly prepare: Prepare
}

function run(database: DatabaseSync, { statements, mode, prepare }: Batch): readonly SqliteResult[] {
  if (mode === 'single') {
    return statements.map((statement) =>
      statement.sql === rollbackStatement && !database.isTransaction
        ? { rows: [], changes: 0 }
        : execute(prepare, statement),
    )
  }
  return inTransaction(database, () => statements.map((statement) => execute(prepare, statement)))
}

function execute(prepare: Prepare, { sql, parameters }: SqliteStatement): SqliteResult {
  const statement = prepare(sql)
  if (statement.columns().length > 0) {
    const rows = statement.all(...parameters)
    return { rows, changes: rows.length }
  }
  return { rows: [], changes: Number(statement.run(...parameters).changes) }
}
