import type { UsageGroupView } from '../../../../src/admin/ledger/usage-contract.ts'
import { nameWithout } from '../../language/name-without.ts'
import { measureOf, writeMeasure } from './usage-measures.ts'
import type { Measure } from './usage-search.ts'

interface UsageBarsProps {
  readonly rows: readonly UsageGroupView[]
  readonly dimensions: readonly string[]
  readonly measure: Measure
}

const MAX_BARS = 10

/** The largest groups side by side, for a report that is not by time. */
export function UsageBars({ rows, dimensions, measure }: UsageBarsProps) {
  const largest = rows
    .toSorted((one, other) => measureOf(measure, other) - measureOf(measure, one))
    .slice(0, MAX_BARS)
  const max = Math.max(...largest.map((row) => measureOf(measure, row)), 0)
  return (
    <ul className="space-y-2">
      {largest.map((row) => {
        const names = dimensions.map((each) => row.by[each] ?? nameWithout(each)).join(' · ')
        const value = measureOf(measure, row)
        return (
          <li key={names} className="grid grid-cols-[minmax(6rem,30%)_1fr_auto] items-center gap-3">
            <span className="truncate" title={names}>
              {names}
            </span>
            <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" className="h-3 w-full">
              <rect width={max === 0 ? 0 : (value / max) * 100} height="10" className="fill-series-1" />
            </svg>
            <span className="text-right tabular-nums">{writeMeasure(measure, value)}</span>
          </li>
        )
      })}
    </ul>
  )
}
