import { useQuery } from '@tanstack/react-query'
import type { KeyView } from '../../../../src/admin/keys/key-contract.ts'
import { describeLimit } from '../../budgets/budget-meter.tsx'
import { budgetsOfQuery } from '../../budgets/budgets-of.ts'
import { describeRate, LimitLines } from '../../budgets/limit-lines.tsx'
import { readLimits } from '../../budgets/written-limits.ts'
import { t } from '../../language/language.ts'
import { ErrorState } from '../../ui/states.tsx'

/** Budgets with the amounts spent, rate limits, and the budget of each end user. */
export function KeyLimits({ shown }: { readonly shown: KeyView }) {
  const { name, group, budgets, rate, end_user_budget: ofEndUsers } = shown
  const spent = useQuery({ ...budgetsOfQuery('key', name), enabled: budgets.length > 0 })
  const [ofEachUser] = ofEndUsers === null ? [] : readLimits({ budgets: [ofEndUsers] }).budgets
  const isUnlimited = budgets.length === 0 && describeRate(rate).length === 0 && ofEachUser === undefined
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
      {ofEachUser !== undefined && (
        <p className="mt-3">{t('keys.limits.end_user', { budget: describeLimit(ofEachUser) })}</p>
      )}
    </section>
  )
}
