import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { KeyView } from '../../../../src/admin/keys/key-contract.ts'
import { usageReportSchema } from '../../../../src/admin/ledger/usage-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { writeCount, writeSpend } from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { nowMs } from '../../time/clock.ts'
import { reportStart } from '../../time/report-spans.ts'
import { buttonClass } from '../../ui/button.tsx'
import { ErrorState, Skeleton } from '../../ui/states.tsx'

const DAYS = 30

/** The usage of a key: models by cost, and a link to its requests. */
export function KeyUse({ shown: { id } }: { readonly shown: KeyView }) {
  const usage = useQuery({
    queryKey: ['usage', 'key', id],
    queryFn: ({ signal }) => {
      const since = new Date(reportStart('30d', nowMs())).toISOString()
      return callApi({
        path: '/usage',
        query: { key: id, by: 'model', since, limit: 8 },
        answer: usageReportSchema,
        signal,
      })
    },
  })
  return (
    <section>
      <h3 className="mb-2 font-semibold">{t('keys.use', { days: DAYS })}</h3>
      {usage.isPending && <Skeleton />}
      {usage.isError && <ErrorState error={usage.error} />}
      {usage.data?.data.length === 0 && <p className="text-muted">{t('keys.use.none')}</p>}
      <ul className="divide-y divide-line">
        {usage.data?.data.map(({ by, requests, cost_usd: cost, charged_usd: charged }) => (
          <li key={by['model']} className="flex justify-between gap-3 py-1.5">
            <span className="min-w-0 truncate">{by['model']}</span>
            <span className="whitespace-nowrap text-muted tabular-nums">
              {t('keys.use.requests', { count: requests, shown: writeCount(requests) })} ·{' '}
              {writeSpend(cost, charged)}
            </span>
          </li>
        ))}
      </ul>
      {usage.data?.has_more === true && (
        <p className="mt-2 text-muted">{t('keys.use.more', { count: usage.data.data.length })}</p>
      )}
      <Link to="/requests" search={{ key: id }} className={`mt-3 ${buttonClass('plain')}`}>
        {t('keys.requests')}
      </Link>
    </section>
  )
}
