import type { UsageGroupView } from '../../../../src/admin/ledger/usage-contract.ts'
import type { ChartData, Series } from '../../charts/chart-data.ts'
import { type BucketUnit, bucketMs, listBuckets } from '../../time/time-buckets.ts'
import { DAY_MS } from '../../time/time-units.ts'
import { measureOf } from './usage-measures.ts'
import { findTimeUnit, type Measure, type TimeUnit } from './usage-search.ts'

/** The limit on names with a color of their own. All other names are combined. */
const MAX_NAMES = 7
const colours = [1, 2, 3, 4, 5, 6, 7] as const

export interface ChartWords {
  readonly none: string
  readonly others: string
  readonly all: string
}

interface ChartInput {
  readonly rows: readonly UsageGroupView[]
  readonly dimensions: readonly string[]
  readonly measure: Measure
  readonly sinceMs: number
  readonly untilMs: number
  readonly words: ChartWords
}

/** The rows over time, with a bar for each bucket. Undefined if the report is not by time. */
export function planUsageChart(input: ChartInput): ChartData | undefined {
  const { rows, dimensions, measure, sinceMs, untilMs, words } = input
  const unit = findTimeUnit(dimensions)
  if (unit === undefined) return undefined
  const subject = dimensions.find((each) => each !== unit)
  const times = listStarts(sinceMs, untilMs, unit)
  const indexOf = new Map(times.map((time, index) => [time, index]))
  const names = chooseNames(rows, subject, measure)
  const byName = new Map<string, number[]>()
  for (const row of rows) {
    const index = indexOf.get(startOf(row.by[unit], unit))
    if (index === undefined) continue
    const name = nameOf(row, subject)
    const shown = subject === undefined ? words.all : names.includes(name) ? name || words.none : words.others
    const values = byName.get(shown) ?? times.map(() => 0)
    values[index] = (values[index] ?? 0) + measureOf(measure, row)
    byName.set(shown, values)
  }
  const order = [...names.map((name) => name || words.none), words.others, words.all]
  const series = order.flatMap((label, index): Series[] => {
    const values = byName.get(label)
    const colour = label === words.others ? 8 : (colours[index] ?? 1)
    return values === undefined ? [] : [{ id: label, label, colour, values }]
  })
  return { times, stepMs: unit === 'month' ? 30 * DAY_MS : bucketMs[unit], series }
}

function nameOf(row: UsageGroupView, subject: string | undefined): string {
  return subject === undefined ? '' : (row.by[subject] ?? '')
}

/** The names with the largest sums. */
function chooseNames(
  rows: readonly UsageGroupView[],
  subject: string | undefined,
  measure: Measure,
): readonly string[] {
  if (subject === undefined) return []
  const sums = new Map<string, number>()
  for (const row of rows) {
    const name = nameOf(row, subject)
    sums.set(name, (sums.get(name) ?? 0) + measureOf(measure, row))
  }
  return [...sums]
    .sort(([, one], [, other]) => other - one)
    .slice(0, MAX_NAMES)
    .map(([name]) => name)
}

/** The start of a bucket that the gateway names. Days and months are in the viewer's time zone. */
function startOf(name: string | null | undefined, unit: TimeUnit): number {
  if (name === null || name === undefined) return Number.NaN
  if (unit === 'hour') return Date.parse(name)
  return new Date(`${unit === 'month' ? `${name}-01` : name}T00:00:00`).getTime()
}

function listStarts(sinceMs: number, untilMs: number, unit: TimeUnit): readonly number[] {
  const step: BucketUnit = unit === 'hour' ? 'hour' : 'day'
  const days = listBuckets(sinceMs, untilMs, step)
  if (unit !== 'month') return days
  return [...new Set(days.map((day) => new Date(new Date(day).setDate(1)).getTime()))]
}
