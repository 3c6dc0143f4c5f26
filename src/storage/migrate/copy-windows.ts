// Copies the budget windows, and the attempts that a crash left open.
import type { DatabaseSync } from 'node:sqlite'
import { brand } from '../../kit/brand.ts'
import type { Epoch } from '../../metering/leases/epoch.ts'
import { loadLedger } from '../ledger/load-ledger.ts'
import { DATABASE_NOW } from '../postgres/ledger/epochs.ts'
import { storedText } from '../postgres/ledger/stored-text.ts'
import { insertIntents, writeCheckpoints } from '../postgres/ledger/write-intents.ts'
import type { PostgresQueries } from '../postgres/open-postgres.ts'
import { insertColumns } from './insert-columns.ts'

const WINDOWS_A_TIME = 5_000
const columns = [
  { name: 'counter', type: 'text' },
  { name: 'window_start_ms', type: 'bigint' },
  { name: 'window_end_ms', type: 'bigint' },
  { name: 'settled', type: 'bigint' },
  { name: 'pruned', type: 'bigint' },
]

/** Copies the windows of all budgets, in place of the existing ones. */
export async function copyWindows(source: DatabaseSync, queries: PostgresQueries): Promise<void> {
  await queries.query('delete from budget_windows')
  const statement = source.prepare(
    `select windows.id, counters.name as counter, start_ms, end_ms, spent, pruned
     from windows join counters on counters.id = windows.counter where windows.id > ? order by windows.id
     limit ${WINDOWS_A_TIME}`,
  )
  statement.setReadBigInts(true)
  for (let last = 0n; ; ) {
    const found = statement.all(last)
    const rows = found.map((row) => [
      storedText(String(row['counter'])),
      ...[row['start_ms'], row['end_ms'], row['spent'], row['pruned']].map(textOrNull),
    ])
    await insertColumns(queries, { table: 'budget_windows', columns, rows })
    if (found.length < WINDOWS_A_TIME) return
    last = BigInt(String(found.at(-1)?.['id']))
  }
}

function textOrNull(value: unknown): string | null {
  return value === null ? null : String(value)
}

/**
 * Copies the attempts without a row as attempts of a node that has ended. The first node then settles them before it
 * serves, in the same way as a start on the data folder.
 */
export async function copyIntents(source: DatabaseSync, queries: PostgresQueries): Promise<number> {
  await queries.query('delete from budget_leases')
  await queries.query('delete from ledger_intents')
  await queries.query('delete from nodes')
  const open = loadLedger(source, 0).openIntents
  if (open.length === 0) return 0
  const { rows } = await queries.query(
    `insert into nodes (id, details, started_at_ms, seen_at_ms, valid_until_ms, ended_at_ms, orphans_from_ms)
     select 'data folder', '{}', now, now, now, now, now from (select ${DATABASE_NOW} as now) as clock returning epoch`,
  )
  const epoch = brand<Epoch>(Number(rows[0]?.['epoch']))
  await insertIntents(
    queries,
    open.map(({ intent }) => intent),
    epoch,
  )
  await writeCheckpoints(
    queries,
    open.map(({ intent: { id }, outputTokens }) => ({ id, outputTokens })),
  )
  await queries.query(
    `insert into budget_leases (counter, window_start_ms, epoch, granted, spent)
     select part.counter, part.start, $1, sum(part.amount), 0
     from ledger_intents, jsonb_to_recordset(held) as part(counter text, start bigint, amount bigint)
     group by part.counter, part.start`,
    [epoch],
  )
  return open.length
}
