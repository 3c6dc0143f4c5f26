import { brand } from '../../../kit/brand.ts'
import type { Epoch } from '../../../metering/leases/epoch.ts'
import { EpochEndedError } from '../../../metering/leases/epoch-ended-error.ts'
import type { PostgresQueries } from '../open-postgres.ts'
import { storedSumSql } from './stored-sum.ts'

/** The current time by the database's clock, in milliseconds since 1970. */
export const DATABASE_NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint'

/**
 * Makes the server end a transaction whose process stops sending, for example because it is disconnected. Other
 * processes wait for the rows that it has locked, and refuse requests after 2 s.
 */
export const END_IF_SILENT = "set_config('idle_in_transaction_session_timeout', '1000', true)"

/**
 * Whether an epoch is live. The answer stays true until the transaction ends, since a transaction that ends epochs
 * locks the same row.
 */
export async function isLive(queries: PostgresQueries, epoch: Epoch): Promise<boolean> {
  const sql = 'select ended_at_ms from nodes where epoch = $1 for key share'
  const { rows } = await queries.query(sql, [epoch])
  const [row] = rows
  return row !== undefined && row['ended_at_ms'] === null
}

export async function requireLive(queries: PostgresQueries, epoch: Epoch): Promise<void> {
  if (!(await isLive(queries, epoch))) throw new EpochEndedError()
}

export interface EndTerms {
  /** The time after which other nodes settle the attempts that the epoch left open. */
  readonly orphansAfterMs: number
}

/** Ends a live epoch. Its leases are reduced to the spent amounts and the amounts that open intents hold. */
export async function endEpoch(
  queries: PostgresQueries,
  epoch: Epoch,
  { orphansAfterMs }: EndTerms,
): Promise<void> {
  await queries.query('select 1 from nodes where epoch = $1 for update', [epoch])
  await queries.query(
    `update nodes set ended_at_ms = ${DATABASE_NOW}, orphans_from_ms = ${DATABASE_NOW} + $2
     where epoch = $1 and ended_at_ms is null`,
    [epoch, orphansAfterMs],
  )
  await queries.query(
    `update budget_leases as lease set granted = ${storedSumSql(`lease.spent + coalesce((
       select sum(part.amount) from ledger_intents as intent,
         jsonb_to_recordset(intent.held) as part(counter text, start bigint, amount bigint)
       where intent.epoch = lease.epoch and part.counter = lease.counter and part.start = lease.window_start_ms
     ), 0)`)}
     where lease.epoch = $1`,
    [epoch],
  )
}

/** The epochs whose processes have been silent for longer than allowed and are not writing at this moment. */
export async function findSilent(queries: PostgresQueries, marginMs: number): Promise<readonly Epoch[]> {
  const { rows } = await queries.query(
    `select epoch from nodes where ended_at_ms is null and valid_until_ms + $1 < ${DATABASE_NOW}
     order by epoch for update skip locked`,
    [marginMs],
  )
  return rows.map(({ epoch }) => brand<Epoch>(Number(epoch)))
}

/** Adds the spent amounts of ended epochs to the windows themselves, once such an epoch has no open intent. */
export async function foldEnded(queries: PostgresQueries): Promise<void> {
  const { rows } = await queries.query(
    `select epoch from nodes where ended_at_ms is not null
       and exists (select 1 from budget_leases where budget_leases.epoch = nodes.epoch)
       and not exists (select 1 from ledger_intents where ledger_intents.epoch = nodes.epoch)
     order by epoch limit 10 for update skip locked`,
  )
  for (const { epoch } of rows)
    await queries.query(
      `with gone as (delete from budget_leases where epoch = $1 returning counter, window_start_ms, spent)
       update budget_windows as w set settled = ${storedSumSql('w.settled + gone.spent')} from gone
       where w.counter = gone.counter and w.window_start_ms = gone.window_start_ms`,
      [epoch],
    )
}
