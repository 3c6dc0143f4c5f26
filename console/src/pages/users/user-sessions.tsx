import { useQuery } from '@tanstack/react-query'
import { sessionListSchema } from '../../../../src/admin/people/people-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { t } from '../../language/language.ts'
import { useSessionEnd } from '../../sessions/use-session-end.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorState, Skeleton } from '../../ui/states.tsx'
import { TimeText } from '../../ui/text.tsx'

/** The sessions of a user, each with a button that ends it. */
export function UserSessions({ name }: { readonly name: string }) {
  const sessions = useQuery({
    queryKey: ['sessions', name],
    queryFn: ({ signal }) =>
      callApi({ path: '/sessions', query: { user: name }, answer: sessionListSchema, signal }),
  })
  const end = useSessionEnd()
  return (
    <section>
      <h3 className="mb-2 font-semibold">{t('account.sessions')}</h3>
      {sessions.isPending && <Skeleton />}
      {sessions.isError && <ErrorState error={sessions.error} onRetry={() => void sessions.refetch()} />}
      {sessions.data?.data.length === 0 && <p className="text-muted">{t('users.sessions.none')}</p>}
      <ul className="divide-y divide-line">
        {sessions.data?.data.map(({ id, address, current, last_used_at: at }) => (
          <li key={id} className="flex items-center gap-3 py-2">
            <p className="min-w-0 flex-1 truncate">
              {address} · {t('account.sessions.used')} <TimeText at={at} style="distance" />
            </p>
            {!current && (
              <Button isSmall isBusy={end.isPending && end.variables === id} onClick={() => end.mutate(id)}>
                {t('account.sessions.end')}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
