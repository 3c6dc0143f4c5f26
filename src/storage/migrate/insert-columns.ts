import type { PostgresQueries } from '../postgres/open-postgres.ts'

/** A column of a table of PostgreSQL, with its type. */
export interface TypedColumn {
  readonly name: string
  readonly type: string
}

export interface InsertedRows {
  readonly table: string
  readonly columns: readonly TypedColumn[]
  /** Rows with a value for each column. */
  readonly rows: readonly (readonly unknown[])[]
}

/** Inserts rows with one statement, with one array parameter for each column. */
export async function insertColumns(
  queries: PostgresQueries,
  { table, columns, rows }: InsertedRows,
): Promise<void> {
  if (rows.length === 0) return
  const names = columns.map(({ name }) => name).join(', ')
  const arrays = arraysOf(columns)
  await queries.query(
    `insert into ${table} (${names}) select * from unnest(${arrays})`,
    columns.map((_, index) => rows.map((row) => row[index])),
  )
}

/** The parameters of a statement with one array for each column. */
export function arraysOf(columns: readonly TypedColumn[]): string {
  return columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ')
}

/** The columns of a table in their order. */
export async function readColumns(queries: PostgresQueries, table: string): Promise<readonly TypedColumn[]> {
  const { rows } = await queries.query(
    `select column_name, data_type from information_schema.columns
     where table_schema = current_schema() and table_name = $1 order by ordinal_position`,
    [table],
  )
  return rows.map((row) => ({ name: String(row['column_name']), type: String(row['data_type']) }))
}
