import type { DatabaseSync } from 'node:sqlite'
import { rowColumns } from '../ledger/ledger-tables.ts'
import { RowReader } from '../ledger/rows/read-row.ts'
import { SubjectIndex } from '../ledger/rows/subject-index.ts'
import { insertNumberedRows } from '../postgres/ledger/write-rows.ts'
import type { PostgresDatabase } from '../postgres/open-postgres.ts'
import { numberOf } from '../sqlite/column-values.ts'

const ROWS_A_TIME = 5_000
/** The span of row numbers that is checked at a time for rows that retention deleted. */
const NUMBERS_A_TIME = 20_000

/** Copies the rows after the last copied one. Each row keeps its number. Reports the number of rows copied so far. */
export async function copyLedgerRows(
  source: DatabaseSync,
  database: PostgresDatabase,
  onCopied: (rows: number) => void,
): Promise<void> {
  const subjects = new SubjectIndex(source)
  subjects.refresh()
  const reader = new RowReader(source, subjects)
  const next = source.prepare(
    `select ${rowColumns.join(', ')} from ledger where number > ? order by number limit ${ROWS_A_TIME}`,
  )
  const found = await database.query('select coalesce(max(number), 0) as last from ledger_rows')
  let last = Number(found.rows[0]?.['last'])
  let copied = 0
  for (;;) {
    const rows = next.all(last).map((row) => reader.read(row))
    if (rows.length === 0) return
    await database.transaction((queries) => insertNumberedRows(queries, rows))
    last = rows.at(-1)?.number ?? last
    copied += rows.length
    onCopied(copied)
  }
}

/** Deletes the copies of rows that retention has deleted since they were copied. */
export async function dropPrunedRows(source: DatabaseSync, database: PostgresDatabase): Promise<void> {
  const span = await database.query('select min(number) as first, max(number) as last from ledger_rows')
  const [first, last] = [span.rows[0]?.['first'], span.rows[0]?.['last']].map(Number)
  if (span.rows[0]?.['first'] === null || first === undefined || last === undefined) return
  const count = source.prepare('select count(*) as rows from ledger where number >= ? and number < ?')
  const list = source.prepare('select number from ledger where number >= ? and number < ?')
  for (let from = first; from <= last; from += NUMBERS_A_TIME) {
    const bounds = [from, from + NUMBERS_A_TIME] as const
    const { rows } = await database.query(
      'select count(*) as rows from ledger_rows where number >= $1 and number < $2',
      bounds,
    )
    if (Number(rows[0]?.['rows']) === numberOf(count.get(...bounds)?.['rows'])) continue
    const present = list.all(...bounds).map(({ number }) => numberOf(number))
    await database.query(
      'delete from ledger_rows where number >= $1 and number < $2 and not (number = any($3::bigint[]))',
      [...bounds, present],
    )
  }
}
