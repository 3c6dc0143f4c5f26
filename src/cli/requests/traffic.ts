import { type Command, Option } from 'commander'
import {
  type QueryTraffic,
  type TrafficCountsView,
  type TrafficReportView,
  trafficDimensions,
  trafficReportSchema,
} from '../../admin/requests/traffic-contract.ts'
import type { CommandContext } from '../command-context.ts'
import {
  addRequestFilters,
  type RequestFilterOptions,
  readRequestFilters,
} from '../options/request-filters.ts'
import { type JsonChoice, writeJson } from '../output/write-json.ts'
import { writeTable } from '../output/write-table.ts'
import { withServer } from '../remote/with-server.ts'
import { writeQuery } from '../remote/write-query.ts'

interface TrafficOptions extends RequestFilterOptions, Pick<QueryTraffic, 'by' | 'limit'>, JsonChoice {}

/** Adds `headgate traffic`. On failure it prints the reason in one line and sets the exit code to 1. */
export function registerTrafficCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('traffic')
    .description(
      'count requests and errors, with percentiles of their times; of the last 24 hours unless a span is given',
    )
    .addOption(
      new Option('--by <dimension>', 'what requests are counted by')
        .choices(trafficDimensions)
        .default('hour'),
    )
  addRequestFilters(command)
    .option('--limit <count>', 'number of lines; 50 unless given')
    .option('--json', 'print JSON')
    .action(({ json, by, limit, ...filters }: TrafficOptions) =>
      withServer(context, async (call) => {
        const query = { by, ...readRequestFilters(filters), limit }
        const report = await call(
          { method: 'GET', path: `/traffic${writeQuery(query)}` },
          trafficReportSchema,
        )
        context.io.write(json ? writeJson(report) : writeTraffic(report))
      }),
    )
}

type Line = TrafficCountsView & { readonly name: string }

function writeTraffic({ by, data, totals, since, until, time_zone: zone }: TrafficReportView): string {
  const title = by ?? ''
  const lines: readonly Line[] = [
    ...data.map((group) => ({ ...group, name: group.by[title] ?? '' })),
    { ...totals, name: 'TOTAL' },
  ]
  const number = (head: string, read: (line: Line) => number | null) =>
    [head, (line: Line) => String(read(line) ?? ''), 'right'] as const
  const table = writeTable<Line>(
    [
      [title.toUpperCase(), ({ name }) => name],
      number('REQUESTS', ({ requests }) => requests),
      number('REFUSED', ({ refused }) => refused),
      number('RATE LIMITED', ({ rate_limited: limited }) => limited),
      number('FAILED', ({ failed }) => failed),
      number('FIRST P50 MS', ({ first_content_ms: first }) => first.p50),
      number('FIRST P95 MS', ({ first_content_ms: first }) => first.p95),
      number('TOTAL P50 MS', ({ total_ms: total }) => total.p50),
      number('TOTAL P95 MS', ({ total_ms: total }) => total.p95),
      number('TOTAL P99 MS', ({ total_ms: total }) => total.p99),
    ],
    lines,
  )
  return `${since} to ${until}, days of ${zone}\n\n${table}`
}
