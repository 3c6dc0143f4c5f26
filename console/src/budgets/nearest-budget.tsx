import { useQuery } from '@tanstack/react-query'
import { writeRowUsd } from '../language/format.ts'
import { Absent } from '../ui/text.tsx'
import { BudgetMeter, describeLimit, spentShare } from './budget-meter.tsx'
import { budgetsOfQuery } from './budgets-of.ts'

interface NearestBudgetProps {
  readonly of: 'key' | 'group'
  readonly name: string
  /** The configured budgets. They are shown until the spent amounts are loaded. */
  readonly budgets: readonly Parameters<typeof describeLimit>[0][]
}

/** The budget of a key or a group that is closest to its limit. */
export function NearestBudget({ of, name, budgets: [first] }: NearestBudgetProps) {
  const { data = [] } = useQuery({ ...budgetsOfQuery(of, name), enabled: first !== undefined })
  if (first === undefined) return <Absent />
  const [nearest] = data.toSorted((one, other) => (spentShare(other) ?? 0) - (spentShare(one) ?? 0))
  if (nearest === undefined) return <span className="text-muted">{describeLimit(first, writeRowUsd)}</span>
  return (
    <span className="flex items-center gap-2">
      <BudgetMeter budget={nearest} className="w-10 shrink-0" />
      <span className="truncate text-[0.8125rem]" title={describeLimit(nearest)}>
        {nearest.spent_usd === null ? '' : writeRowUsd(nearest.spent_usd)} /{' '}
        {describeLimit(nearest, writeRowUsd)}
      </span>
    </span>
  )
}
