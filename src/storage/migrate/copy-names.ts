import type { DatabaseSync } from 'node:sqlite'
import { storedText } from '../postgres/ledger/stored-text.ts'
import type { PostgresQueries } from '../postgres/open-postgres.ts'
import { numberOf } from '../sqlite/column-values.ts'
import { arraysOf, type TypedColumn } from './insert-columns.ts'

const ROWS_A_TIME = 2_000

export interface NamedRows {
  /** A table, in both stores, that numbers combinations of names. */
  readonly table: string
  /** The columns of a combination. */
  readonly columns: readonly TypedColumn[]
}

/**
 * Makes the missing combinations. A combination has a different number in each store, since the data folder reuses a
 * number once its combination is deleted. Returns the number in PostgreSQL by the number in the folder.
 */
export async function copyNames(
  source: DatabaseSync,
  queries: PostgresQueries,
  { table, columns }: NamedRows,
): Promise<ReadonlyMap<number, number>> {
  const ids = new Map<number, number>()
  const names = columns.map(({ name }) => name)
  const statement = source.prepare(
    `select id, ${names.join(', ')} from ${table} where id > ? order by id limit ${ROWS_A_TIME}`,
  )
  const found = names.map((name) => `t.${name}`).join(', ')
  const known = names.map((name) => `known.${name}`).join(', ')
  for (let last = 0; ; ) {
    const rows = statement.all(last)
    const values = names.map((name) =>
      rows.map((row) => (typeof row[name] === 'string' ? storedText(row[name]) : row[name])),
    )
    await queries.query(
      `insert into ${table} (${names.join(', ')}) select * from unnest(${arraysOf(columns)}) on conflict do nothing`,
      values,
    )
    const { rows: numbered } = await queries.query(
      `select known.id, t.position from unnest(${arraysOf(columns)}) with ordinality as t(${names.join(', ')}, position)
       join ${table} as known on (${known}) = (${found})`,
      values,
    )
    for (const { id, position } of numbered) ids.set(numberOf(rows[Number(position) - 1]?.['id']), Number(id))
    if (rows.length < ROWS_A_TIME) return ids
    last = numberOf(rows.at(-1)?.['id'])
  }
}
