import type { LedgerRetention } from '../../../metering/ledger/ledger-maintenance.ts'
import { USAGE_SLOT_MS } from '../../../metering/usage-query.ts'
import type { PostgresDatabase } from '../open-postgres.ts'
import { storedSumSql } from './stored-sum.ts'

const ROWS_A_TIME = 2_000
/** The number of the lock that lets one node at a time prune: "head" in ASCII, and 4. */
const PRUNE_LOCK = 0x68656164_04

/**
 * Deletes the oldest rows beyond their age, on one node at a time. Their amounts stay in the sums of usage and of
 * budgets, and are recorded so that these sums can still be verified.
 */
export function pruneLedger(
  database: PostgresDatabase,
  { nowMs, keepMs }: LedgerRetention,
): Promise<{ readonly hasMore: boolean }> {
  if (keepMs === undefined) return Promise.resolve({ hasMore: false })
  return database.transaction(async (queries) => {
    const { rows } = await queries.query(`select pg_try_advisory_xact_lock(${PRUNE_LOCK}) as is_ours`)
    if (rows[0]?.['is_ours'] !== true) return { hasMore: false }
    const { rows: pruned } = await queries.query(
      `with gone as (
         delete from ledger_rows where number in (
           select number from ledger_rows where ended_at_ms < $1 order by ended_at_ms limit ${ROWS_A_TIME}
         ) returning ended_at_ms, corrects, cost, charged, counted
       ), slots as (
         insert into usage_pruned (slot, rows, attempts, cost, charged)
         select floor(ended_at_ms / ${USAGE_SLOT_MS}.0)::integer, count(*),
           sum(case when corrects is null then 1 else 0 end), ${storedSumSql('sum(cost)')},
           ${storedSumSql('sum(charged)')}
         from gone group by 1
         on conflict (slot) do update set rows = usage_pruned.rows + excluded.rows,
           attempts = usage_pruned.attempts + excluded.attempts,
           cost = ${storedSumSql('usage_pruned.cost + excluded.cost')},
           charged = ${storedSumSql('usage_pruned.charged + excluded.charged')}
       ), parts as (
         select part.counter, part."windowStartMs" as start, sum(part.amount) as amount
         from gone, jsonb_to_recordset(counted::jsonb) as part(counter text, "windowStartMs" bigint, amount bigint)
         group by 1, 2
       ), windows as (
         update budget_windows as w set pruned = ${storedSumSql('w.pruned + parts.amount')} from parts
         where w.counter = parts.counter and w.window_start_ms = parts.start
       )
       select count(*) as rows from gone`,
      [Math.floor(nowMs - keepMs)],
    )
    return { hasMore: Number(pruned[0]?.['rows']) === ROWS_A_TIME }
  })
}
