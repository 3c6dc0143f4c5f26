import { useQuery } from '@tanstack/react-query'
import { writeUsd } from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { ErrorState, Skeleton } from '../../ui/states.tsx'
import { valuesQuery } from './budget-queries.ts'

interface TagValuesProps {
  readonly name: string
  readonly onShow: (value: string) => void
}

/** The values of a tag that have spent the most of their budgets. Each value has its own budget. */
export function TagValues({ name, onShow }: TagValuesProps) {
  const values = useQuery(valuesQuery(name))
  if (values.isPending) return <Skeleton rows={4} />
  if (values.isError) return <ErrorState error={values.error} onRetry={() => void values.refetch()} />
  const { data, values: count } = values.data
  return (
    <section>
      <h3 className="mb-1 font-semibold">{t('budgets.values')}</h3>
      <p className="mb-2 text-muted">
        {data.length === 0 ? t('budgets.values.none') : t('budgets.values.why', { count })}
      </p>
      <ul className="divide-y divide-line">
        {data.map(({ value, spent_usd: spent, limit_usd: limit }) => (
          <li key={value} className="flex items-center gap-3 py-2">
            <button
              type="button"
              onClick={() => onShow(value)}
              className="min-w-0 flex-1 truncate text-left font-medium text-accent hover:underline"
            >
              {value}
            </button>
            <span className="tabular-nums">
              {writeUsd(spent)} / {limit === 'unlimited' ? t('budget.unlimited') : writeUsd(limit)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
