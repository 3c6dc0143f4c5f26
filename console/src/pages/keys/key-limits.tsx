import { useQuery } from '@tanstack/react-query'
import type { BudgetView } from '../../../../src/admin/budgets/budget-contract.ts'
import type { KeyView } from '../../../../src/admin/keys/key-contract.ts'
import { BudgetMeter, describeLimit } from '../../budgets/budget-meter.tsx'
import { writeCount, writeUsd } from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/badge.tsx'
import { TimeText } from '../../ui/text.tsx'
import { keyBudgetsQuery } from './key-queries.ts'

const rates = ['rpm', 'tpm', 'input_tpm', 'output_tpm', 'concurrency'] as const

/** Budgets with what is spent of them, and rate limits. */
export function KeyLimits({ shown: { name, budgets, rate } }: { readonly shown: KeyView }) {
  const { data = [] } = useQuery({ ...keyBudgetsQuery(name), enabled: budgets.length > 0 })
  const limits = rates.flatMap((each) => (rate?.[each] === undefined ? [] : [[each, rate[each]] as const]))
  return (
    <section>
      <h3 className="mb-2 font-semibold">{t('keys.limits')}</h3>
      {budgets.length === 0 && limits.length === 0 && <p className="text-muted">{t('keys.limits.none')}</p>}
      <ul className="space-y-3">
        {data.map((budget) => (
          <BudgetLine key={budget.id} budget={budget} />
        ))}
      </ul>
      {limits.length > 0 && (
        <p className="mt-3 flex flex-wrap gap-1.5">
          {limits.map(([limit, value]) => (
            <Badge key={limit}>{`${t(`rate.${limit}`)}: ${writeCount(value)}`}</Badge>
          ))}
        </p>
      )}
    </section>
  )
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
