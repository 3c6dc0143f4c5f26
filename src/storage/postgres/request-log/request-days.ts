// The partitions of the request log: one for each UTC day, found by the IDs, which rise with time.
import { DAY_MS } from '../../../kit/time/time-units.ts'
import type { PostgresDatabase, PostgresQueries } from '../open-postgres.ts'

/**
 * The number of IDs in one millisecond. An ID is the time at which its row became the newest, multiplied by this
 * number. Further rows of the same millisecond have the next IDs. IDs stay exact numbers until 2109.
 */
export const IDS_PER_MS = 2_048
export const IDS_PER_DAY = DAY_MS * IDS_PER_MS

export function firstIdAt(atMs: number): number {
  return Math.floor(atMs) * IDS_PER_MS
}

export function dayOfId(id: number): number {
  return Math.floor(id / IDS_PER_DAY)
}

/**
 * Makes the missing partitions. Attaching a table blocks no reader and no writer; creating a table as a partition
 * would.
 */
export async function addDays(database: PostgresDatabase, days: readonly number[]): Promise<void> {
  for (const day of days)
    await database.transaction(async (queries) => {
      // One node at a time. The lock ends with the transaction.
      await queries.query('select pg_advisory_xact_lock($1)', [DAY_LOCK])
      const name = partitionOf(day)
      const found = await queries.query('select 1 where to_regclass($1) is not null', [name])
      if (found.count > 0) return
      const [from, to] = [day * IDS_PER_DAY, (day + 1) * IDS_PER_DAY]
      await queries.query(`create table ${name} (like requests including defaults including constraints)`)
      await queries.query(`alter table ${name} add check (id >= ${from} and id < ${to})`)
      await queries.query(
        `alter table requests attach partition ${name} for values from (${from}) to (${to})`,
      )
      await queries.query('insert into request_days (day, rows) values ($1, 0) on conflict do nothing', [day])
    })
}

export async function dropDay(queries: PostgresQueries, day: number): Promise<void> {
  await queries.query(`drop table if exists ${partitionOf(day)}`)
  await queries.query('delete from request_days where day = $1', [day])
}

/** The number of the lock that a node holds while it makes partitions: "head" in ASCII, and 6. */
const DAY_LOCK = 0x68656164_06

function partitionOf(day: number): string {
  return `requests_${new Date(day * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '_')}`
}
