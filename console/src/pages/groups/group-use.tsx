import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { budgetPageSchema } from '../../../../src/admin/budgets/budget-contract.ts'
import { usageReportSchema } from '../../../../src/admin/ledger/usage-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { BudgetMeter, describeLimit } from '../../budgets/budget-meter.tsx'
import { writeSpend, writeUsd } from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { nowMs } from '../../time/clock.ts'
import { reportStart } from '../../time/report-spans.ts'
import { buttonClass } from '../../ui/button.tsx'
import { ErrorState, Skeleton } from '../../ui/states.tsx'

const DAYS = 30
const MAX_KEYS = 8

/** The budgets of a group with the amounts spent, and the keys that spend the most. */
export function GroupUse({ group }: { readonly group: string }) {
  return (
    <>
      <GroupBudgets group={group} />
      <GroupKeys group={group} />
      <div className="flex flex-wrap gap-2">
        <Link to="/keys" search={{ group }} className={buttonClass('plain')}>
          {t('nav.keys')}
        </Link>
        <Link to="/usage" search={{ group, by: 'day', and: 'key' }} className={buttonClass('plain')}>
          {t('nav.usage')}
        </Link>
        <Link to="/requests" search={{ group }} className={buttonClass('plain')}>
          {t('nav.requests')}
        </Link>
      </div>
    </>
  )
}

function GroupBudgets({ group }: { readonly group: string }) {
  const budgets = useQuery({
    queryKey: ['budgets', 'group', group],
    queryFn: ({ signal }) =>
      callApi({
        path: '/budgets',
        query: { q: `group:${group}/`, scope: 'group' },
        answer: budgetPageSchema,
        signal,
      }),
    select: ({ data }) => data.filter(({ scope }) => scope === `group:${group}`),
  })
  if (budgets.isError) return <ErrorState error={budgets.error} />
  if (budgets.data === undefined || budgets.data.length === 0) return null
  return (
    <section>
      <h3 className="mb-2 font-semibold">{t('budget.list')}</h3>
      <ul className="space-y-3">
        {budgets.data.map((budget) => (
          <li key={budget.id}>
            <Link
              to="/budgets"
              search={{ budget: budget.name }}
              className="mb-1 flex flex-wrap justify-between gap-x-3 hover:underline"
            >
              <span className="font-medium tabular-nums">{writeUsd(budget.spent_usd ?? 0)}</span>
              <span className="text-muted">{describeLimit(budget)}</span>
            </Link>
            <BudgetMeter budget={budget} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function GroupKeys({ group }: { readonly group: string }) {
  const usage = useQuery({
    queryKey: ['usage', 'group', group],
    queryFn: ({ signal }) => {
      const since = new Date(reportStart('30d', nowMs())).toISOString()
      const query = { group, by: 'key', since, limit: MAX_KEYS, order: 'cost' }
      return callApi({ path: '/usage', query, answer: usageReportSchema, signal })
    },
  })
  return (
    <section>
      <h3 className="mb-2 font-semibold">{t('groups.use', { days: DAYS })}</h3>
      {usage.isPending && <Skeleton />}
      {usage.isError && <ErrorState error={usage.error} />}
      {usage.data?.data.length === 0 && <p className="text-muted">{t('groups.use.none')}</p>}
      <ul className="divide-y divide-line">
        {usage.data?.data.map(({ by, cost_usd: cost, charged_usd: charged }) => (
          <li key={by['key_id']} className="flex justify-between gap-3 py-1.5">
            <Link
              to="/keys/$id"
              params={{ id: by['key_id'] ?? '' }}
              className="min-w-0 truncate font-medium hover:underline"
            >
              {by['key']}
            </Link>
            <span className="whitespace-nowrap text-muted tabular-nums">{writeSpend(cost, charged)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
