import { extname } from 'node:path'
import { adviseOnFault } from './advise-on-fault.ts'
import { openingError } from './opening-error.ts'
import type { LoadedThread, ThreadProgram } from './program-thread.ts'
import type { SqliteFault, SqliteResult, SqliteStatement } from './sqlite-protocol.ts'
import { storeUnavailable, UniqueConstraintError } from './store-fault.ts'
import { openStoreThread } from './store-thread.ts'

/** The database calls that queries need, whichever thread runs them. */
export interface SqliteRunner {
  /**
   * Runs statements in order, with the results in the same order. Fulfilled once they are durable. `atomic` runs them
   * as one transaction; it must not be used while a transaction begun by statements is open. Rejects with
   * `UniqueConstraintError`, or with `store_unavailable` for every fault of the store itself.
   */
  run(statements: readonly SqliteStatement[], mode: 'atomic' | 'single'): Promise<readonly SqliteResult[]>
}

/** A SQLite file that this process owns, accessed through a thread. */
export interface SqliteDatabase extends SqliteRunner {
  /** Copies the database as it is when the copy ends, readable by its owner only. The file must not exist yet. */
  copyTo(path: string): Promise<void>
  /** Waits for the calls in progress, checkpoints the log into the file and releases the file. */
  close(): Promise<void>
}

// https://sqlite.org/rescode.html, seen 2026-11-20
const SQLITE_CONSTRAINT_PRIMARYKEY = 1555
const SQLITE_CONSTRAINT_UNIQUE = 2067

export type SqliteAsk =
  /** Statements, with their mode: one transaction, or each statement by itself. */
  | {
      readonly type: 'run'
      readonly statements: readonly SqliteStatement[]
      readonly mode: 'atomic' | 'single'
    }
  | { readonly type: 'copy'; readonly path: string }

/** The thread's program. It has the same extension as this file: .ts in source, .js once compiled. */
export const sqliteThread: ThreadProgram = {
  script: new URL(`./sqlite-worker${extname(new URL(import.meta.url).pathname)}`, import.meta.url),
}

/**
 * Opens or creates the file, readable by its owner only, in a new thread or in one whose program is loaded already.
 * Throws an error for the operator where the file cannot be used.
 */
export async function openSqlite(file: string, loaded?: LoadedThread): Promise<SqliteDatabase> {
  const thread = await openStoreThread<SqliteAsk, readonly SqliteResult[]>({
    ...sqliteThread,
    loaded,
    file,
    openingError: (fault) => openingError(file, fault, whenDamaged),
    readFault: (fault) => readFault(file, fault),
  })
  return {
    run: (statements, mode) => thread.ask({ type: 'run', statements, mode }),
    copyTo: async (path) => void (await thread.ask({ type: 'copy', path })),
    close: () => thread.close(),
  }
}

const whenDamaged = 'restore it from a copy'

function readFault(file: string, fault: SqliteFault): Error {
  const { message, code } = fault
  if (code === SQLITE_CONSTRAINT_UNIQUE || code === SQLITE_CONSTRAINT_PRIMARYKEY) {
    return new UniqueConstraintError(message.replace('UNIQUE constraint failed: ', ''))
  }
  return storeUnavailable(`${file}: ${adviseOnFault(fault, whenDamaged)}`)
}
