import type { NumberedRow } from '../../../metering/ledger-reader.ts'
import type { LedgerRow } from '../../../metering/ledger-row.ts'
import type { PostgresQueries } from '../open-postgres.ts'
import { storedJson, storedNumber, storedText, storedTextOrNull } from './stored-text.ts'

/** The columns of a row, each with its type and its value. */
const columns: readonly (readonly [string, string, (row: LedgerRow) => string | number | null])[] = [
  ['id', 'text', ({ id }) => id],
  ['request_id', 'text', ({ requestId }) => storedText(requestId)],
  ['attempt', 'integer', ({ attempt }) => attempt],
  ['key_id', 'text', ({ keyId }) => storedText(keyId)],
  ['key_name', 'text', ({ keyName }) => storedText(keyName)],
  ['user_id', 'text', ({ userName }) => storedTextOrNull(userName)],
  ['group_name', 'text', ({ group }) => storedTextOrNull(group)],
  ['tags', 'jsonb', ({ tags }) => storedJson(tags)],
  ['model', 'text', ({ model }) => storedText(model)],
  ['channel', 'text', ({ channel }) => storedText(channel)],
  ['upstream_model', 'text', ({ upstreamModel }) => storedText(upstreamModel)],
  ['price_version', 'text', ({ priceVersion }) => storedTextOrNull(priceVersion)],
  ['started_at_ms', 'bigint', ({ startedAtMs }) => storedNumber(startedAtMs)],
  ['ended_at_ms', 'bigint', ({ endedAtMs }) => storedNumber(endedAtMs)],
  ['state', 'text', ({ state }) => state],
  ['tier', 'text', ({ tier }) => tier],
  ['usage', 'text', ({ usage }) => storedJson(usage)],
  ['cost', 'bigint', ({ cost }) => storedNumber(cost)],
  ['charged', 'bigint', ({ charged }) => storedNumber(charged)],
  ['counted', 'text', ({ counted }) => storedJson(counted)],
  ['flags', 'text', ({ flags }) => storedJson(flags)],
  ['corrects', 'text', ({ flags }) => flags.corrects ?? null],
]

const names = columns.map(([name]) => name).join(', ')
const arrays = columns.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ')
const insertSql = `insert into ledger_rows (${names}) select * from unnest(${arrays}) on conflict do nothing returning id`

/**
 * Writes rows that do not exist yet. A row gets at most one correction. Returns the IDs of the rows that were
 * written.
 */
export async function insertRows(
  queries: PostgresQueries,
  rows: readonly LedgerRow[],
): Promise<ReadonlySet<string>> {
  const values = columns.map(([, , read]) => rows.map(read))
  const written = await queries.query(insertSql, values)
  return new Set(written.rows.map(({ id }) => String(id)))
}

const numberedArrays = columns.map(([, type], index) => `$${index + 2}::${type}[]`).join(', ')

/** Writes rows that already have numbers. */
export async function insertNumberedRows(
  queries: PostgresQueries,
  rows: readonly NumberedRow[],
): Promise<void> {
  await queries.query(
    `insert into ledger_rows (number, ${names}) select * from unnest($1::bigint[], ${numberedArrays})`,
    [rows.map(({ number }) => number), ...columns.map(([, , read]) => rows.map(({ row }) => read(row)))],
  )
}
