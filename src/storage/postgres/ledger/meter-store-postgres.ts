import type { NanoDollars } from '../../../canonical/money.ts'
import { brand } from '../../../kit/brand.ts'
import { valuePrefixOf } from '../../../metering/budgets/counter-id.ts'
import type { Epoch } from '../../../metering/leases/epoch.ts'
import { LeaseTable } from '../../../metering/leases/lease-table.ts'
import type {
  Lease,
  LeaseAsk,
  LeaseOrder,
  LeaseReturn,
  MeterStore,
} from '../../../metering/leases/meter-store.ts'
import type { CounterKey } from '../../../metering/ledger-row.ts'
import type { CounterState } from '../../../metering/ledger-store.ts'
import type { PostgresDatabase, PostgresQueries } from '../open-postgres.ts'
import { DATABASE_NOW, END_IF_SILENT, requireLive } from './epochs.ts'
import { inLockOrder } from './in-lock-order.ts'
import { storedSum, storedSumSql } from './stored-sum.ts'
import { storedText } from './stored-text.ts'
import { nameOfWindow, WindowRows } from './window-rows.ts'

/**
 * The meter store in PostgreSQL. An order locks the counters that it concerns, in the same order on all nodes, reads
 * what all nodes have of them, and writes its own leases. It grants the same amounts as `LeaseTable`.
 */
export function createPostgresMeterStore(database: PostgresDatabase): MeterStore {
  const windows = new WindowRows()
  return {
    async lease(epoch, order) {
      const leases = await database.transaction((queries) => lease(queries, epoch, { order, windows }))
      windows.remember(order.asks.map(({ window }) => window))
      return leases
    },
    async readOthers(epoch, counters) {
      const { rows } = await database.query(
        `select w.counter, w.window_start_ms, w.window_end_ms, 
           ${storedSumSql('w.settled + coalesce(sum(l.spent), 0)')} as spent
         from budget_windows as w left join budget_leases as l
           on l.counter = w.counter and l.window_start_ms = w.window_start_ms and l.epoch <> $1
         where w.counter = any($2) and (w.window_end_ms is null or w.window_end_ms > ${DATABASE_NOW})
         group by w.counter, w.window_start_ms`,
        [epoch, counters.map(storedText)],
      )
      return rows.map(readState)
    },
    async findTopValues(budget, limit) {
      const prefix = storedText(valuePrefixOf(budget))
      // The prefix ends with an equals sign, and the greater-than sign is the next character.
      const afterPrefix = `${prefix.slice(0, -1)}>`
      const { rows } = await database.query(
        `with sums as (
           select w.counter, sum(w.settled) + sum(coalesce(l.spent, 0)) as spent
           from budget_windows as w left join lateral (
             select sum(spent) as spent from budget_leases
             where counter = w.counter and window_start_ms = w.window_start_ms) as l on true
           where w.counter >= $1 and w.counter < $2 and (w.window_end_ms is null or w.window_end_ms > ${DATABASE_NOW})
           group by w.counter)
         select counter from sums where spent > 0 order by spent desc, counter limit $3`,
        [prefix, afterPrefix, limit],
      )
      return rows.map(({ counter }) => String(counter))
    },
  }
}

interface OrderParts {
  readonly order: LeaseOrder
  readonly windows: WindowRows
}

async function lease(
  queries: PostgresQueries,
  epoch: Epoch,
  { order, windows }: OrderParts,
): Promise<readonly Lease[]> {
  const { asks, returns } = order
  await lockCounters(queries, [...asks.map(({ window }) => window), ...returns])
  await requireLive(queries, epoch)
  await windows.ensure(
    queries,
    asks.map(({ window }) => window),
  )
  const table = await readTable(queries, order)
  const leases = table.carryOut(epoch, order)
  await writeGrants(queries, epoch, distinct(leases))
  return leases
}

/** Locks the counters. Other transactions that need them wait until this one ends. */
async function lockCounters(
  queries: PostgresQueries,
  counters: readonly Pick<CounterKey, 'counter'>[],
): Promise<void> {
  const names = [...new Set(counters.map(({ counter }) => storedText(counter)))]
  await queries.query(
    `select ${END_IF_SILENT}, pg_advisory_xact_lock(name) from (
       select distinct hashtextextended(counter, 0) as name from unnest($1::text[]) as t(counter) order by 1
     ) as sorted`,
    [names],
  )
}

async function readTable(queries: PostgresQueries, { asks, returns }: LeaseOrder): Promise<LeaseTable> {
  const concerned = [...asks.map(({ window }) => window), ...returns]
  const names = concerned.map(({ counter }) => storedText(counter))
  const starts = concerned.map(({ windowStartMs }) => windowStartMs)
  const { rows } = await queries.query(
    `select w.counter, w.window_start_ms, w.window_end_ms, w.settled as spent, l.epoch, l.granted, l.spent as own
     from budget_windows as w left join budget_leases as l
       on l.counter = w.counter and l.window_start_ms = w.window_start_ms
     where w.counter = any($1) and (w.window_end_ms is null or w.window_end_ms > ${DATABASE_NOW}
       or w.window_start_ms = any($2))`,
    [[...new Set(names)], [...new Set(starts)]],
  )
  const live = await queries.query(
    `select epoch, ${DATABASE_NOW} as now from nodes where ended_at_ms is null order by epoch`,
  )
  const nowMs = Number(live.rows[0]?.['now'])
  const table = new LeaseTable(() => nowMs)
  table.live(live.rows.map(({ epoch }) => brand<Epoch>(Number(epoch))))
  const original = originalNames([...asks, ...returns])
  for (const row of rows) {
    const { spent, counter, ...key } = readState(row)
    const window = { ...key, counter: original.get(counter) ?? counter }
    table.load({ ...window, spent })
    if (row['epoch'] === null) continue
    const state = { granted: Number(row['granted']), spent: Number(row['own']) }
    table.loadLease(brand<Epoch>(Number(row['epoch'])), window, state)
  }
  return table
}

/** The names by which this process knows the counters, by their names in the tables. */
function originalNames(parts: readonly (LeaseAsk | LeaseReturn)[]): ReadonlyMap<string, string> {
  const names = parts.map((part) => ('window' in part ? part.window.counter : part.counter))
  return new Map(names.map((name) => [storedText(name), name]))
}

async function writeGrants(queries: PostgresQueries, epoch: Epoch, leases: readonly Lease[]): Promise<void> {
  await queries.query(
    `insert into budget_leases (epoch, counter, window_start_ms, granted, spent)
     select $1, counter, start, granted, 0 from unnest($2::text[], $3::bigint[], $4::bigint[]) as t(counter, start, granted)
     on conflict (counter, window_start_ms, epoch) do update set granted = excluded.granted`,
    [
      epoch,
      leases.map(({ counter }) => storedText(counter)),
      leases.map(({ windowStartMs }) => windowStartMs),
      leases.map(({ granted }) => storedSum(granted)),
    ],
  )
}

/**
 * Removes duplicate leases, since one statement cannot write a row twice. If a window was requested twice, all its
 * leases are equal.
 */
function distinct(leases: readonly Lease[]): readonly Lease[] {
  const byName = new Map(leases.map((lease) => [nameOfWindow(lease), lease]))
  return inLockOrder(byName)
}

export function readState(row: Readonly<Record<string, unknown>>): CounterState {
  const end = row['window_end_ms']
  return {
    counter: String(row['counter']),
    windowStartMs: Number(row['window_start_ms']),
    windowEndMs: end === null ? undefined : Number(end),
    spent: brand<NanoDollars>(Number(row['spent'])),
  }
}
