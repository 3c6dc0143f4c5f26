import type { Kysely, Transaction } from 'kysely'
import type { PruneLimits } from '../../request-log/request-log-store.ts'
import { findFirstAt, readEnds } from './page-requests.ts'
import type { RequestLogTables } from './request-log-tables.ts'

/** Deleted in one go, so that no writer waits long. SQLite fills the freed pages again. */
const ROWS_A_TIME = 1_000

export interface Pruned {
  readonly hasMore: boolean
  readonly shapesWent: boolean
}

/** Deletes some of the oldest rows beyond the limits, and with the last of them the shapes that none has any more. */
export async function pruneRequests(
  database: Kysely<RequestLogTables>,
  { endedBeforeMs, maxRows }: PruneLimits,
): Promise<Pruned> {
  const { first, last } = await readEnds(database)
  const firstRemaining = Math.max(await findFirstAt(database, endedBeforeMs), last - maxRows + 1)
  if (firstRemaining <= first) return { hasMore: false, shapesWent: false }
  const end = Math.min(firstRemaining, first + ROWS_A_TIME)
  const hasMore = end < firstRemaining
  return database.transaction().execute(async (transaction) => {
    await transaction.deleteFrom('requests').where('id', '<', end).execute()
    return { hasMore, shapesWent: !hasMore && (await deleteShapes(transaction, end)) }
  })
}

async function deleteShapes(transaction: Transaction<RequestLogTables>, end: number): Promise<boolean> {
  const { numDeletedRows } = await transaction
    .deleteFrom('reach')
    .where('last_id', '<', end)
    // The next id is found by the last one.
    .where('last_id', '<', (reach) =>
      reach.selectFrom('reach').select(({ fn }) => fn.max('last_id').as('last')),
    )
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) return false
  await transaction
    .deleteFrom('shapes')
    .where('id', 'not in', (shape) => shape.selectFrom('reach').select('shape_id'))
    .execute()
  return true
}
