import type { BudgetView } from '../../../src/admin/budgets/budget-contract.ts'
import { writeUsd } from '../language/format.ts'
import { t } from '../language/language.ts'
import { Meter } from '../ui/meter.tsx'
import { nameWindow } from './budgets-input.tsx'

/** The share of a budget that is spent. Undefined if the budget has no limit. */
export function spentShare({ limit_usd: limit, spent_usd: spent }: BudgetView): number | undefined {
  if (limit === 'unlimited' || spent === null) return undefined
  return limit <= 0 ? 1 : spent / limit
}

interface BudgetMeterProps {
  readonly budget: BudgetView
  readonly className?: string
}

/** A bar with the spent and the held part of a budget. */
export function BudgetMeter({ budget, className }: BudgetMeterProps) {
  const { limit_usd: limit, spent_usd: spent, held_usd: held } = budget
  const share = spentShare(budget)
  if (share === undefined || limit === 'unlimited') return null
  const label = t('budget.spent_of', { spent: writeUsd(spent ?? 0), limit: writeUsd(limit) })
  return (
    <Meter
      label={label}
      share={share}
      heldShare={limit <= 0 ? 0 : (held ?? 0) / limit}
      className={className ?? 'w-full'}
    />
  )
}

/** The limit and its window, such as "$5.00 a day". */
export function describeLimit(
  { limit_usd: limit, window }: Pick<BudgetView, 'limit_usd' | 'window'>,
  write = writeUsd,
): string {
  return limit === 'unlimited' ? t('budget.unlimited') : `${write(limit)} ${nameWindow(window)}`
}
