import { plainLine } from '../../kit/bytes/plain-text.ts'

export type TableColumn<Row> = readonly [
  title: string,
  cell: (row: Row) => string,
  /** The alignment of the cells. Left by default. */
  side?: 'left' | 'right',
]

/** Writes rows as aligned columns, for display. An empty cell is a dash. */
export function writeTable<Row>(columns: readonly TableColumn<Row>[], data: readonly Row[]): string {
  const rows = [
    columns.map(([title]) => title),
    ...data.map((row) => columns.map(([, cell]) => plainLine(cell(row)) || '-')),
  ]
  const widths = columns.map((_column, index) =>
    rows.reduce((width, row) => Math.max(width, row[index]?.length ?? 0), 0),
  )
  const pad = (cell: string, index: number) => {
    const width = widths[index] ?? 0
    return columns[index]?.[2] === 'right' ? cell.padStart(width) : cell.padEnd(width)
  }
  const lines = rows.map((row) => row.map(pad).join('  '))
  return lines.map((line) => `${line.trimEnd()}\n`).join('')
}
