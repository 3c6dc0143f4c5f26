import type { BudgetView } from '../../../src/admin/budgets/budget-contract.ts'
import { writeCount, writeUsd } from '../language/format.ts'
import { t } from '../language/language.ts'
import { Badge } from '../ui/badge.tsx'
import { TimeText } from '../ui/text.tsx'
import { BudgetMeter, describeLimit } from './budget-meter.tsx'

const rates = ['rpm', 'tpm', 'input_tpm', 'output_tpm', 'concurrency'] as const

/** The rate limits of a key, a group or a user. */
export type ShownRate = { readonly [Limit in (typeof rates)[number]]?: number | undefined }

interface LimitLinesProps {
  readonly budgets: readonly BudgetView[]
  readonly rate: ShownRate | null
}

/** Budgets with the amounts spent, and rate limits. */
export function LimitLines({ budgets, rate }: LimitLinesProps) {
  const limits = describeRate(rate)
  return (
    <>
      {budgets.length > 0 && (
        <ul className="space-y-3">
          {budgets.map((budget) => (
            <BudgetLine key={budget.id} budget={budget} />
          ))}
        </ul>
      )}
      {limits.length > 0 && (
        <p className="mt-3 flex flex-wrap gap-1.5">
          {limits.map((limit) => (
            <Badge key={limit}>{limit}</Badge>
          ))}
        </p>
      )}
    </>
  )
}

/** Each limit of a rate in words, such as "Requests a minute: 60". */
export function describeRate(rate: ShownRate | null): readonly string[] {
  return rates.flatMap((limit) => {
    const value = rate?.[limit]
    return value === undefined ? [] : [`${t(`rate.${limit}`)}: ${writeCount(value)}`]
  })
}

function BudgetLine({ budget }: { readonly budget: BudgetView }) {
  const { spent_usd: spent, resets_at: resetsAt, mode } = budget
  return (
    <li>
      <div className="mb-1 flex flex-wrap items-baseline justify-between gap-x-3">
        <span className="font-medium">
          {writeUsd(spent ?? 0)} <span className="text-muted">/ {describeLimit(budget)}</span>
        </span>
        <span className="text-[0.8125rem] text-muted">
          {t(`budget.mode.${mode}`)}
          {resetsAt !== null && (
            <>
              {' · '}
              {t('budget.resets')} <TimeText at={resetsAt} style="distance" />
            </>
          )}
        </span>
      </div>
      <BudgetMeter budget={budget} />
    </li>
  )
}
