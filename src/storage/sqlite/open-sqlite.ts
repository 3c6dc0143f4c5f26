import { extname } from 'node:path'
import { adviseOnFault } from './advise-on-fault.ts'
import { openingError } from './opening-error.ts'
import type { SqliteFault, SqliteResult, SqliteStatement } from './sqlite-protocol.ts'
import { storeUnavailable, UniqueConstraintError } from './store-fault.ts'
import { type LoadedThread, openStoreThread, type ThreadProgram } from './store-thread.ts'

/** The calls that queries need of a database, whichever thread has it. */
export interface SqliteRunner {
  /**
   * Runs statements in order, the results in the same order; fulfilled once they are durable. `atomic` makes them one
   * transaction, which must not be asked for while a transaction begun by statements is open. Fails with
   * `UniqueConstraintError`, or with `store_unavailable` for everything that is the store's own fault.
   */
  run(statements: readonly SqliteStatement[], mode: 'atomic' | 'single'): Promise<readonly SqliteResult[]>
}

/** A SQLite file that this process owns, behind a thread. */
export interface SqliteDatabase extends SqliteRunner {
  /**
   * Makes a copy, readable by its owner alone, of the database as it is when this ends. The file must not exist yet.
   */
  copyTo(path: string): Promise<void>
  /** Waits for what is under way, writes the log back into the file and gives the file free. */
  close(): Promise<void>
}

// https://sqlite.org/rescode.html, seen 2026-11-20
const SQLITE_CONSTRAINT_PRIMARYKEY = 1555
const SQLITE_CONSTRAINT_UNIQUE = 2067

export type SqliteAsk =
  /** Statements, and whether they are one transaction of their own; otherwise each counts by itself. */
  | {
      readonly type: 'run'
      readonly statements: readonly SqliteStatement[]
      readonly mode: 'atomic' | 'single'
    }
  | { readonly type: 'copy'; readonly path: string }

/** The thread's program, which has the extension of this file: .ts from source, .js once compiled. */
export const sqliteThread: ThreadProgram = {
  script: new URL(`./sqlite-worker${extname(new URL(import.meta.url).pathname)}`, import.meta.url),
}

/**
 * Opens or makes the file, readable by its owner alone, in a thread of its own or in one that has loaded its program.
 * Fails with a line for the operator where it cannot be used.
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
