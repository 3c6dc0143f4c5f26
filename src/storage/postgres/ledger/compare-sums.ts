import { type LedgerCheck, MAX_DIFFERENCES } from '../../../metering/ledger-reader.ts'
import { USAGE_SLOT_MS } from '../../../metering/usage-query.ts'
import type { PostgresQueries } from '../open-postgres.ts'

const windowsSql = `with counted as (
    select part.counter, part."windowStartMs" as start, sum(part.amount) as amount
    from ledger_rows, jsonb_to_recordset(counted::jsonb) as part(counter text, "windowStartMs" bigint, amount bigint)
    group by 1, 2
  ), stored as (
    select w.counter, w.window_start_ms as start, w.settled - w.pruned + coalesce(sum(l.spent), 0) as amount
    from budget_windows as w left join budget_leases as l
      on l.counter = w.counter and l.window_start_ms = w.window_start_ms
    group by w.counter, w.window_start_ms
  )
  select coalesce(stored.counter, counted.counter) as counter, coalesce(stored.start, counted.start) as start,
    coalesce(stored.amount, 0)::text as stored, coalesce(counted.amount, 0)::text as counted
  from stored full join counted on counted.counter = stored.counter collate "C" and counted.start = stored.start
  where coalesce(stored.amount, 0) <> coalesce(counted.amount, 0)`

const sums = ['attempts', 'cost', 'charged'] as const
const slotsSql = `with counted as (
    select floor(ended_at_ms / ${USAGE_SLOT_MS}.0)::integer as slot, sum(case when corrects is null then 1 else 0 end) as attempts,
      sum(cost) as cost, sum(charged) as charged from ledger_rows group by 1
  ), stored as (
    select s.slot, ${sums.map((name) => `sum(s.${name}) - coalesce(max(p.${name}), 0) as ${name}`).join(', ')}
    from usage_sums as s left join usage_pruned as p on p.slot = s.slot group by s.slot
  )
  select coalesce(stored.slot, counted.slot) as slot,
    ${sums.map((name) => `coalesce(stored.${name}, 0)::text as stored_${name}, coalesce(counted.${name}, 0)::text as counted_${name}`).join(', ')}
  from stored full join counted on counted.slot = stored.slot
  where ${sums.map((name) => `coalesce(stored.${name}, 0) <> coalesce(counted.${name}, 0)`).join(' or ')}`

const countsSql = `select (select count(*) from ledger_rows) as rows,
  (select coalesce(sum(rows), 0)::bigint from usage_pruned) as pruned,
  (select count(*) from budget_windows) as windows, (select count(*) from ledger_intents) as intents`

/** Adds up all rows again and compares the result with the sums of usage and of budgets, in one snapshot. */
export async function compareSums(queries: PostgresQueries): Promise<LedgerCheck> {
  const windows = await queries.query(windowsSql)
  const slots = await queries.query(slotsSql)
  const [counts] = (await queries.query(countsSql)).rows
  const differences = [
    ...windows.rows.map(
      ({ counter, start, stored, counted }) =>
        `the window of ${String(counter)} from ${isoOf(Number(start))} has ${String(stored)}, its rows ${String(counted)}`,
    ),
    ...slots.rows.map((row) => {
      const parts = sums.flatMap((name) =>
        row[`stored_${name}`] === row[`counted_${name}`]
          ? []
          : [`${name} ${String(row[`stored_${name}`])}, its rows ${String(row[`counted_${name}`])}`],
      )
      return `the usage from ${isoOf(Number(row['slot']) * USAGE_SLOT_MS)} has ${parts.join('; ')}`
    }),
  ]
  return {
    rows: Number(counts?.['rows']),
    prunedRows: Number(counts?.['pruned']),
    windows: Number(counts?.['windows']),
    openIntents: Number(counts?.['intents']),
    differences: differences.slice(0, MAX_DIFFERENCES),
    differenceCount: differences.length,
  }
}

function isoOf(atMs: number): string {
  return new Date(atMs).toISOString()
}
