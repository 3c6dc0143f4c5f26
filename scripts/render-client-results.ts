import { renderTable } from './render-table.ts'

/** The result of one case. */
export interface CaseResult {
  /** The client, with its format where it has more than one. */
  readonly row: string
  readonly channel: string
  readonly scenario: string
  readonly problems: readonly string[]
  /** The reason why there was nothing to run; undefined where it ran. */
  readonly obstacle?: string | undefined
}

/** A line for each client and kind of channel, a column for each scenario, and a sum. */
export function renderClientResults(results: readonly CaseResult[]): string {
  const scenarios = [...new Set(results.map(({ scenario }) => scenario))]
  const lines = Object.entries(Object.groupBy(results, ({ row, channel }) => `${row}\n${channel}`))
  const rows = lines.map(([key, cases = []]) => [
    ...key.split('\n'),
    ...scenarios.map((name) => verdict(cases.filter(({ scenario }) => scenario === name))),
  ])
  const ran = results.filter(({ obstacle }) => obstacle === undefined)
  const passed = ran.filter(({ problems }) => problems.length === 0).length
  const others = results.length - ran.length
  const rest = others === 0 ? '' : `, ${others} not applicable`
  return `${renderTable(['client', 'channel', ...scenarios], rows)}\n\n${passed} of ${ran.length} passed${rest}`
}

function verdict(cases: readonly CaseResult[]): string {
  if (cases.length === 0) return ''
  if (cases.every(({ obstacle }) => obstacle !== undefined)) return 'n/a'
  return cases.every(({ problems }) => problems.length === 0) ? 'passed' : 'FAILED'
}
