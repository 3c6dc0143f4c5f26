import type { DatabaseSync } from 'node:sqlite'

/** Commits all that `work` writes, or nothing: an error that it throws rolls the transaction back. */
export function inTransaction<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec('begin immediate')
  try {
    const result = work()
    database.exec('commit')
    return result
  } catch (error) {
    // On a full disk SQLite rolls back by itself. A failing rollback would then hide the cause.
    if (database.isTransaction) database.exec('rollback')
    throw error
  }
}
