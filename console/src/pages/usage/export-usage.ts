import type { UsageGroupView } from '../../../../src/admin/ledger/usage-contract.ts'
import { downloadText } from '../../browser/download-text.ts'
import { writeAmount } from '../../forms/write-amount.ts'
import type { WholeReport } from './usage-queries.ts'
import { daysOfReport } from './usage-span.ts'

/** Excel reads a file without it in the code page of the machine, so that names in other letters are garbled. */
const BYTE_ORDER_MARK = '\uFEFF'

const counts = ['requests', 'attempts', 'failed', 'estimated'] as const

/** Saves the shown rows with every token class, in the columns of `headgate usage --csv`. */
export function exportUsage(report: WholeReport, format: 'csv' | 'json'): void {
  const { first, last } = daysOfReport(report)
  const name = `usage-${report.by.join('-').replaceAll(':', '-')}-${first}-${last}.${format}`
  if (format === 'csv') {
    downloadText(name, BYTE_ORDER_MARK + writeCsv(report), 'text/csv')
    return
  }
  const { has_more: _more, next: _next, isCut, ...shown } = report
  downloadText(name, `${JSON.stringify({ ...shown, complete: !isCut }, null, 2)}\n`, 'application/json')
}

function writeCsv({ by, data }: Pick<WholeReport, 'by' | 'data'>): string {
  const names = by.flatMap((name) => (name === 'key' ? ['key_id', 'key'] : [name]))
  const classes = Object.keys(data[0]?.usage ?? {}).filter((name) => name !== 'tool_calls')
  const header = [...names, ...counts, ...classes, 'tool_calls', 'cost_usd', 'charged_usd']
  const lines = data.map((row) => cellsOf(row, names, classes))
  return [header, ...lines].map((cells) => `${cells.map(writeCell).join(',')}\r\n`).join('')
}

function cellsOf(
  row: UsageGroupView,
  names: readonly string[],
  classes: readonly string[],
): readonly (string | number)[] {
  const { tool_calls: calls, ...tokens } = row.usage
  const usage: Readonly<Record<string, unknown>> = tokens
  return [
    ...names.map((name) => row.by[name] ?? ''),
    ...counts.map((name) => row[name]),
    ...classes.map((name) => Number(usage[name] ?? 0)),
    Object.keys(calls).length === 0 ? '' : JSON.stringify(calls),
    ...[row.cost_usd, row.charged_usd],
  ]
}

/** Writes a number in digits alone, and escapes a text that a spreadsheet would evaluate as a formula. */
function writeCell(value: string | number): string {
  if (typeof value === 'number') return writeAmount(value)
  const text = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
