import { useQuery } from '@tanstack/react-query'
import type { KeyView } from '../../../../src/admin/keys/key-contract.ts'
import { budgetsOfQuery } from '../../budgets/budgets-of.ts'
import { describeRate, LimitLines } from '../../budgets/limit-lines.tsx'
import { t } from '../../language/language.ts'
import { ErrorState } from '../../ui/states.tsx'

/** Budgets with the amounts spent, and rate limits. */
export function KeyLimits({ shown: { name, group, budgets, rate } }: { readonly shown: KeyView }) {
  const spent = useQuery({ ...budgetsOfQuery('key', name), enabled: budgets.length > 0 })
  const isUnlimited = budgets.length === 0 && describeRate(rate).length === 0
  return (
    <section>
      <h3 className="mb-2 font-semibold">{t('keys.limits')}</h3>
      {isUnlimited && (
        <p className="text-muted">
          {group === null ? t('keys.limits.none') : t('keys.limits.group', { group })}
        </p>
      )}
      {spent.isError && <ErrorState error={spent.error} onRetry={() => void spent.refetch()} />}
      <LimitLines budgets={spent.data ?? []} rate={rate} />
    </section>
  )
}
