import { type Command, Option } from 'commander'
import {
  MAX_USAGE_GROUPS,
  type QueryUsage,
  type UsageGroupView,
  type UsageOperations,
  type UsageReport,
} from '../../admin/ledger/usage-contract.ts'
import { OperatorError } from '../../canonical/operator-error.ts'
import { writeCsvCell } from '../../kit/bytes/csv-cell.ts'
import { omitUndefined } from '../../kit/json/omit-undefined.ts'
import type { CommandContext } from '../command-context.ts'
import { addLedgerFilters, type LedgerFilterOptions, readLedgerFilters } from '../options/request-filters.ts'
import { createUsdColumn, writeUsdNumber } from '../output/usd.ts'
import { writeJson } from '../output/write-json.ts'
import { type TableColumn, writeTable } from '../output/write-table.ts'
import { withLedger } from '../remote/reach-ledger.ts'

interface UsageOptions extends LedgerFilterOptions {
  readonly by: string
  readonly order?: 'name' | 'cost'
  readonly limit?: string
  readonly csv?: true
  readonly json?: true
}

/** Adds `headgate usage`. On failure it prints the reason in one line and sets the exit code to 1. */
export function registerUsageCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('usage')
    .description('add up requests, tokens and cost of a span; of this month unless it is given')
    .option(
      '--by <dimensions>',
      'up to four of key, user, group, model, upstream_model, channel, hour, day, month and tag:NAME, separated by commas',
      'key',
    )
  addLedgerFilters(command)
    .addOption(
      new Option('--order <order>', 'what comes first: by name, or what cost most').choices(['name', 'cost']),
    )
    .option('--limit <count>', 'number of lines; all unless given')
    .option('--csv', 'print CSV, with every class of tokens')
    .option('--json', 'print JSON')
    .action((options: UsageOptions) =>
      withLedger(context, async ({ usage }) => {
        const report = await readReport(usage, options)
        context.io.write(writeReport(report, options))
        if (report.has_more && options.json !== true)
          context.io.writeError(`There are more than ${options.limit} lines; raise --limit to see them.\n`)
      }),
    )
}

/** Reads all pages into one report. */
async function readReport(usage: UsageOperations, options: UsageOptions): Promise<UsageReport> {
  const { by, order } = options
  const limit = readLimit(options.limit)
  const query: QueryUsage = omitUndefined({ ...readLedgerFilters(options), by, order })
  const pageSize = (have: number) => String(Math.min(MAX_USAGE_GROUPS, limit - have))
  let page = await usage.report({ ...query, limit: pageSize(0) })
  const { since, until } = page
  const data = [...page.data]
  while (page.next !== null && data.length < limit) {
    page = await usage.report({ ...query, since, until, limit: pageSize(data.length), after: page.next })
    data.push(...page.data)
  }
  return { ...page, data }
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY
  const limit = Number(text)
  if (Number.isInteger(limit) && limit > 0) return limit
  throw new OperatorError('option_invalid', '--limit must be a whole number from 1 on')
}

function writeReport(report: UsageReport, { csv, json }: UsageOptions): string {
  if (json) return writeJson(report)
  return csv ? writeCsv(report) : writeUsageTable(report)
}

type Line = Omit<UsageGroupView, 'by'> & { readonly by: Readonly<Record<string, string | null>> }

function writeUsageTable({ by, data, totals, since, until, time_zone: zone }: UsageReport): string {
  const [first] = by
  const lines: readonly Line[] =
    first === undefined ? data : [...data, { ...totals, by: { [first]: 'TOTAL' } }]
  const writeCost = createUsdColumn(lines.map((line) => line.cost_usd))
  const writeCharge = createUsdColumn(lines.map((line) => line.charged_usd))
  const number = (title: string, read: (line: Line) => number): TableColumn<Line> => [
    title,
    (line) => String(read(line)),
    'right',
  ]
  const table = writeTable<Line>(
    [
      ...by.map((name): TableColumn<Line> => [name.toUpperCase(), (line) => line.by[name] ?? '']),
      number('REQUESTS', ({ requests }) => requests),
      number('ATTEMPTS', ({ attempts }) => attempts),
      number('FAILED', ({ failed }) => failed),
      number('INPUT', ({ usage }) => usage.fresh_input_tokens),
      number('CACHE READ', ({ usage }) => usage.cache_read_tokens),
      number('CACHE WRITE', ({ usage }) => usage.cache_write_short_tokens + usage.cache_write_long_tokens),
      number('OUTPUT', ({ usage }) => usage.output_tokens),
      number('REASONING', ({ usage }) => usage.reasoning_tokens),
      ['COST USD', (line) => writeCost(line.cost_usd), 'right'],
      ['CHARGED USD', (line) => writeCharge(line.charged_usd), 'right'],
    ],
    lines,
  )
  return `${since} to ${until}, days of ${zone}\n\n${table}`
}

const counts = ['requests', 'attempts', 'failed', 'estimated'] as const

function writeCsv({ by, data, totals }: UsageReport): string {
  const names = by.flatMap((name) => (name === 'key' ? ['key_id', 'key'] : [name]))
  const { tool_calls: _calls, ...classes } = totals.usage
  const tokens = Object.keys(classes)
  const header = [...names, ...counts, ...tokens, 'tool_calls', 'cost_usd', 'charged_usd']
  const rows = data.map(({ by: group, usage, ...sums }) => {
    const { tool_calls: calls, ...numbers } = usage
    const byName: Readonly<Record<string, number>> = numbers
    return [
      ...names.map((name) => writeCsvCell(group[name] ?? '')),
      ...counts.map((name) => String(sums[name])),
      ...tokens.map((name) => String(byName[name] ?? 0)),
      Object.keys(calls).length === 0 ? '' : writeCsvCell(JSON.stringify(calls)),
      writeUsdNumber(sums.cost_usd),
      writeUsdNumber(sums.charged_usd),
    ]
  })
  return [header.map(writeCsvCell), ...rows].map((cells) => `${cells.join(',')}\n`).join('')
}
