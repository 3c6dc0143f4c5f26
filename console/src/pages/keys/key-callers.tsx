import { useQuery } from '@tanstack/react-query'
import { callerListSchema } from '../../../../src/admin/requests/caller-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { t } from '../../language/language.ts'
import { ErrorState, Skeleton } from '../../ui/states.tsx'
import { TimeText } from '../../ui/text.tsx'

/** The programs and addresses that used a key recently. */
export function KeyCallers({ id }: { readonly id: string }) {
  const callers = useQuery({
    queryKey: ['callers', id],
    queryFn: ({ signal }) =>
      callApi({ path: '/callers', query: { key: id }, answer: callerListSchema, signal }),
  })
  return (
    <section>
      <h3 className="mb-1 font-semibold">{t('keys.callers')}</h3>
      {callers.isPending && <Skeleton />}
      {callers.isError && <ErrorState error={callers.error} />}
      {callers.data !== undefined && (
        <p className="mb-2 text-[0.8125rem] text-muted">
          {callers.data.looked_at === 0
            ? t('keys.callers.none')
            : t('keys.callers.why', { count: callers.data.looked_at })}
        </p>
      )}
      <ul className="divide-y divide-line">
        {callers.data?.data.map(({ address, client, user, requests, last_at: at, models }) => (
          <li key={`${address} ${client} ${user}`} className="py-1.5">
            <p className="flex flex-wrap justify-between gap-x-3">
              <span className="min-w-0 font-medium break-words">{client ?? t('keys.callers.unnamed')}</span>
              <span className="text-muted">
                <TimeText at={at} style="distance" />
              </span>
            </p>
            <p className="text-[0.8125rem] break-words text-muted">
              <code>{address}</code>
              {user !== null && ` · ${user}`} · {t('keys.callers.requests', { count: requests })} ·{' '}
              {models.join(', ')}
            </p>
          </li>
        ))}
      </ul>
    </section>
  )
}
