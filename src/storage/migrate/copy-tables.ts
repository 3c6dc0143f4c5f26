// Copies the small tables, which have the same columns in both stores.
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { InvariantError } from '../../kit/errors/invariant-error.ts'
import { storedText } from '../postgres/ledger/stored-text.ts'
import type { PostgresQueries } from '../postgres/open-postgres.ts'
import { insertColumns, readColumns, type TypedColumn } from './insert-columns.ts'
import type { SourceFolder } from './source-folder.ts'
import { CAPTURES_TABLE, copiedTables } from './table-decisions.ts'

const ROWS_A_TIME = 1_000
/** The maximum bytes of stored answers in one statement, which has at least one row. Answers may be large. */
const BYTES_A_TIME = 8 * 1024 ** 2

/** Replaces the rows of each table with those of the data folder. */
export async function copyTables(
  { keys, captures }: Pick<SourceFolder, 'keys' | 'captures'>,
  queries: PostgresQueries,
): Promise<void> {
  for (const table of copiedTables) await copyTable(keys, queries, table)
  if (captures !== undefined) await copyTable(captures, queries, CAPTURES_TABLE)
}

async function copyTable(source: DatabaseSync, queries: PostgresQueries, table: string): Promise<void> {
  const columns = await readColumns(queries, table)
  requireColumns(source, { table, columns })
  await queries.query(`delete from ${table}`)
  let rows: (readonly unknown[])[] = []
  let bytes = 0
  for (const row of readTable(source, { table, columns })) {
    rows.push(row)
    for (const value of row) bytes += value instanceof Uint8Array ? value.length : 0
    if (rows.length < ROWS_A_TIME && bytes < BYTES_A_TIME) continue
    await insertColumns(queries, { table, columns, rows })
    rows = []
    bytes = 0
  }
  await insertColumns(queries, { table, columns, rows })
}

export interface ReadTable {
  readonly table: string
  readonly columns: readonly TypedColumn[]
}

/** Reads the rows of a table in the data folder, converted to PostgreSQL's values. */
export function* readTable(
  source: DatabaseSync,
  { table, columns }: ReadTable,
): Generator<readonly (string | Buffer | null)[], void, undefined> {
  const statement = source.prepare(`select ${columns.map(({ name }) => name).join(', ')} from ${table}`)
  statement.setReadBigInts(true)
  for (const row of statement.iterate()) yield columns.map(({ name }) => storedValue(row[name]))
}

function storedValue(value: SQLOutputValue | undefined): string | Buffer | null {
  if (value === null || value === undefined) return null
  if (value instanceof Uint8Array) return Buffer.from(value)
  return storedText(String(value))
}

function requireColumns(source: DatabaseSync, { table, columns }: ReadTable): void {
  const found = source.prepare('select name from pragma_table_info(?)').all(table)
  const own = new Set(found.map(({ name }) => String(name)))
  const different = [
    ...[...own].filter((name) => !columns.some((column) => column.name === name)),
    ...columns.flatMap(({ name }) => (own.has(name) ? [] : [name])),
  ]
  if (different.length > 0)
    throw new InvariantError(`the table ${table} has other columns in PostgreSQL: ${different.join(', ')}`)
}

/** Makes PostgreSQL continue its numbering after the copied rows. */
export async function continueNumbers(queries: PostgresQueries): Promise<void> {
  const { rows } = await queries.query(
    `select table_name, column_name from information_schema.columns
     where table_schema = current_schema() and is_identity = 'YES'`,
  )
  for (const row of rows) {
    const [table, column] = [String(row['table_name']), String(row['column_name'])]
    await queries.query(
      `select setval(pg_get_serial_sequence($1, $2), coalesce(max(${column}), 1), max(${column}) is not null) from ${table}`,
      [table, column],
    )
  }
}
