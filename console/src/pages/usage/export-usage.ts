import type { UsageGroupView } from '../../../../src/admin/ledger/usage-contract.ts'
import { downloadText } from '../../browser/download-text.ts'
import type { WholeReport } from './usage-queries.ts'
import { daysOfReport } from './usage-span.ts'

const counts = ['requests', 'attempts', 'failed', 'estimated'] as const

/** Saves the shown rows with every token class, in the format of `headgate usage --csv`. */
export function exportUsage(report: WholeReport, format: 'csv' | 'json'): void {
  const { first, last } = daysOfReport(report)
  const name = `usage-${report.by.join('-').replaceAll(':', '-')}-${first}-${last}.${format}`
  if (format === 'csv') {
    downloadText(name, writeCsv(report), 'text/csv')
    return
  }
  const { has_more: _more, next: _next, isCut, ...shown } = report
  downloadText(name, `${JSON.stringify({ ...shown, complete: !isCut }, null, 2)}\n`, 'application/json')
}

function writeCsv({ by, data }: Pick<WholeReport, 'by' | 'data'>): string {
  const names = by.flatMap((name) => (name === 'key' ? ['key_id', 'key'] : [name]))
  const classes = Object.keys(data[0]?.usage ?? {}).filter((name) => name !== 'tool_calls')
  const header = [...names, ...counts, ...classes, 'cost_usd', 'charged_usd']
  const lines = data.map((row) => cellsOf(row, names, classes))
  return [header, ...lines].map((cells) => `${cells.map(writeCell).join(',')}\r\n`).join('')
}

function cellsOf(
  row: UsageGroupView,
  names: readonly string[],
  classes: readonly string[],
): readonly (string | number)[] {
  const usage: Readonly<Record<string, unknown>> = row.usage
  return [
    ...names.map((name) => row.by[name] ?? ''),
    ...counts.map((name) => row[name]),
    ...classes.map((name) => Number(usage[name] ?? 0)),
    ...[row.cost_usd, row.charged_usd],
  ]
}

/** Escapes a text that a spreadsheet would evaluate as a formula. */
function writeCell(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
