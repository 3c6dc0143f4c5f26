import type { DatabaseSync } from 'node:sqlite'

/** All that `work` writes, or nothing: what it throws undoes it. */
export function inTransaction<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec('begin immediate')
  try {
    const result = work()
    database.exec('commit')
    return result
  } catch (error) {
    // A full disk makes SQLite roll back by itself, and to fail then would hide the cause.
    if (database.isTransaction) database.exec('rollback')
    throw error
  }
}
