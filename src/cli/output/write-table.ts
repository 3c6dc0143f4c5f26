import { plainLine } from '../../kit/bytes/plain-text.ts'

export type TableColumn<Row> = readonly [title: string, cell: (row: Row) => string]

/** Rows as aligned columns, for people. An empty cell is a dash. */
export function writeTable<Row>(columns: readonly TableColumn<Row>[], data: readonly Row[]): string {
  const rows = [
    columns.map(([title]) => title),
    ...data.map((row) => columns.map(([, cell]) => plainLine(cell(row)) || '-')),
  ]
  const widths = columns.map((_column, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)))
  const lines = rows.map((row) => row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  '))
  return lines.map((line) => `${line.trimEnd()}\n`).join('')
}
