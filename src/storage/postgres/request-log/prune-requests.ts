import { DAY_MS } from '../../../kit/time/time-units.ts'
import type { PruneLimits } from '../../../request-log/request-log-store.ts'
import { deleteUnusedShapes } from '../../request-log/traffic-tables.ts'
import { DATABASE_NOW } from '../ledger/epochs.ts'
import { numberOfColumn } from '../number-of-column.ts'
import type { PostgresDatabase, PostgresQueries } from '../open-postgres.ts'
import { countTraffic, pruneTraffic } from './count-traffic-postgres.ts'
import { addDays, dayOfId, dropDay, firstIdAt } from './request-days.ts'

/** The maximum number of rows deleted at a time. */
const ROWS_A_TIME = 5_000
const MAX_COUNTS_AT_ONCE = 2
/** The retention below which rows are deleted one by one instead of by the day. */
const SHORT_KEEP_MS = 2 * DAY_MS
/** The number of the lock of the node that prunes: "head" in ASCII, and 7. */
const PRUNE_LOCK = 0x68656164_07
/** The lock timeout for dropping a partition. If readers of a long list hold the partition, the next run drops it. */
const DROP_WITHIN_MS = 2_000

/**
 * Retention drops whole days. Rows of the current days are deleted only if the log is more than a tenth over its
 * number of rows, or if the retention is short, since deleting a row costs as much as writing one.
 */
export async function pruneRequests(
  database: PostgresDatabase,
  limits: PruneLimits,
): Promise<{ readonly hasMore: boolean }> {
  // Rows are counted before they are deleted.
  for (let counts = 0; await countTraffic(database); counts += 1)
    if (counts + 1 >= MAX_COUNTS_AT_ONCE) return { hasMore: true }
  const nowMs = await addComingDays(database)
  return database.transaction(async (queries) => {
    const held = await queries.query('select pg_try_advisory_xact_lock($1) as mine', [PRUNE_LOCK])
    if (held.rows[0]?.['mine'] !== true) return { hasMore: false }
    await pruneTraffic(queries, limits.endedBeforeMs)
    await queries.query(`set local lock_timeout = ${DROP_WITHIN_MS}`)
    const days = await readDays(queries)
    const beyond = days.filter(({ day, newerRows }) => isBeyond({ day, newerRows }, limits))
    for (const { day } of beyond) await dropDay(queries, day)
    const left = days.filter((each) => !beyond.includes(each))
    const deleted = await deleteSome(queries, left, { ...limits, nowMs })
    if (beyond.length > 0 || deleted > 0) await deleteShapes(queries)
    return { hasMore: deleted === ROWS_A_TIME }
  })
}

/** Makes sure that the partition of tomorrow exists before its first row. Returns the time of the database. */
async function addComingDays(database: PostgresDatabase): Promise<number> {
  const { rows } = await database.query(`select ${DATABASE_NOW} as now`)
  const nowMs = numberOfColumn(rows, 'now')
  const today = Math.floor(nowMs / DAY_MS)
  await addDays(database, [today, today + 1])
  return nowMs
}

interface Day {
  readonly day: number
  readonly rows: number
  /** The number of rows of later days. */
  readonly newerRows: number
}

async function readDays(queries: PostgresQueries): Promise<readonly Day[]> {
  const { rows } = await queries.query(
    `select day, rows, (coalesce(sum(rows) over (order by day desc), 0) - rows)::bigint as newer
     from request_days order by day`,
  )
  return rows.map((row) => ({
    day: Number(row['day']),
    rows: Number(row['rows']),
    newerRows: Number(row['newer']),
  }))
}

function isBeyond({ day, newerRows }: Omit<Day, 'rows'>, { endedBeforeMs, maxRows }: PruneLimits): boolean {
  return (day + 1) * DAY_MS <= endedBeforeMs || newerRows >= maxRows
}

/** Deletes some of the oldest rows; returns their number. */
async function deleteSome(
  queries: PostgresQueries,
  days: readonly Day[],
  { endedBeforeMs, maxRows, nowMs }: PruneLimits & { readonly nowMs: number },
): Promise<number> {
  const total = days.reduce((sum, { rows }) => sum + rows, 0)
  const tooMany = total > maxRows * 1.1 ? total - maxRows : 0
  const oldest = nowMs - endedBeforeMs < SHORT_KEEP_MS ? firstIdAt(endedBeforeMs) : 0
  if (tooMany === 0 && dayOfId(oldest) < (days[0]?.day ?? Number.POSITIVE_INFINITY)) return 0
  const limit = tooMany > 0 ? Math.min(tooMany, ROWS_A_TIME) : ROWS_A_TIME
  const { rows } = await queries.query(
    `with oldest as (select id from requests order by id limit $1),
       gone as (delete from requests where id in (select id from oldest) and ($2 or id < $3) returning id),
       fewer as (select id / $4 as day, count(*) as count from gone group by 1),
       days as (update request_days as d set rows = rows - fewer.count from fewer where d.day = fewer.day)
     select count(*) as count from gone`,
    [limit, tooMany > 0, oldest, firstIdAt(DAY_MS)],
  )
  return numberOfColumn(rows, 'count')
}

/**
 * Deletes the attempts of deleted rows, and the combinations that no row uses any more. A node that appends rows
 * waits for this, so that it never uses a deleted combination.
 */
async function deleteShapes(queries: PostgresQueries): Promise<void> {
  await queries.query('select 1 from request_log_state for update')
  const firstId = 'coalesce((select min(id) from requests), (select last_id + 1 from request_log_state))'
  await queries.query(`delete from failed_attempts where id < ${firstId}`)
  await queries.query(`delete from reach where last_id < ${firstId}`)
  await queries.query(deleteUnusedShapes)
}
