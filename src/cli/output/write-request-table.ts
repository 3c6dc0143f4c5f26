import type { RequestSummaryView } from '../../admin/requests/request-contract.ts'
import { plainLine } from '../../kit/bytes/plain-text.ts'

type Column = readonly [title: string, width: number, cell: (request: RequestSummaryView) => string]

/** Widths are fixed, so that lines that come later stand under those before; what is longer moves its line alone. */
const columns: readonly Column[] = [
  ['ENDED (UTC)', 19, ({ ended_at }) => ended_at.slice(0, 19).replace('T', ' ')],
  ['STATUS', 6, ({ status }) => String(status)],
  ['MS', 7, ({ total_ms }) => String(total_ms)],
  ['KEY', 12, ({ key }) => key ?? ''],
  ['MODEL', 20, ({ model }) => model ?? ''],
  ['CHANNEL', 14, ({ channel }) => channel ?? ''],
  ['TOKENS', 12, ({ input_tokens, output_tokens }) => writeTokens(input_tokens, output_tokens)],
  ['ERROR', 22, ({ error }) => error ?? ''],
  ['REQUEST', 0, ({ request_id }) => request_id],
]

export function writeRequestTitle(): string {
  return writeLine(columns.map(([title]) => title))
}

export function writeRequestLine(request: RequestSummaryView): string {
  return writeLine(columns.map(([, , cell]) => plainLine(cell(request)) || '-'))
}

function writeLine(cells: readonly string[]): string {
  const padded = cells.map((cell, index) => cell.padEnd(columns[index]?.[1] ?? 0))
  return `${padded.join('  ').trimEnd()}\n`
}

function writeTokens(input: number | null, output: number | null): string {
  return input === null && output === null ? '' : `${input ?? 0}+${output ?? 0}`
}
