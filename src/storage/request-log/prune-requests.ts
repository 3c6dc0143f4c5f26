import type { DatabaseSync } from 'node:sqlite'
import type { PruneLimits } from '../../request-log/request-log-store.ts'
import { inTransaction } from '../sqlite/in-transaction.ts'
import type { RequestIds } from './request-ids.ts'

/** Deleted in one go, so that no writer waits long. SQLite fills the freed pages again. */
const ROWS_A_TIME = 1_000

export interface Pruned {
  readonly hasMore: boolean
  readonly shapesWent: boolean
}

/** Deletes some of the oldest rows beyond the limits, and with the last of them the shapes that none has any more. */
export function pruneRequests(
  database: DatabaseSync,
  ids: RequestIds,
  { endedBeforeMs, maxRows }: PruneLimits,
): Pruned {
  const { first, last } = ids.readEnds()
  const firstRemaining = Math.max(ids.findFirstAt(endedBeforeMs), last - maxRows + 1)
  if (firstRemaining <= first) return { hasMore: false, shapesWent: false }
  const end = Math.min(firstRemaining, first + ROWS_A_TIME)
  const hasMore = end < firstRemaining
  return inTransaction(database, () => {
    database.prepare('delete from requests where id < ?').run(end)
    return { hasMore, shapesWent: !hasMore && deleteShapes(database, end) }
  })
}

function deleteShapes(database: DatabaseSync, end: number): boolean {
  // The next ID is found by the last one.
  const { changes } = database
    .prepare('delete from reach where last_id < ? and last_id < (select max(last_id) from reach)')
    .run(end)
  if (Number(changes) === 0) return false
  database.exec('delete from shapes where id not in (select shape_id from reach)')
  return true
}
