import { useQuery } from '@tanstack/react-query'
import { sessionListSchema } from '../../../../src/admin/people/people-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { t } from '../../language/language.ts'
import { useSessionEnd } from '../../sessions/use-session-end.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ErrorState, Skeleton } from '../../ui/states.tsx'
import { TimeText } from '../../ui/text.tsx'
import { nameBrowser } from './name-browser.ts'

export function SessionsCard() {
  const sessions = useQuery({
    queryKey: ['sessions', 'me'],
    queryFn: ({ signal }) => callApi({ path: '/sessions', answer: sessionListSchema, signal }),
  })
  const end = useSessionEnd()
  return (
    <Card title={t('account.sessions')} isFlush>
      {sessions.isPending && <Skeleton />}
      {sessions.isError && <ErrorState error={sessions.error} onRetry={() => void sessions.refetch()} />}
      <ul className="divide-y divide-line">
        {sessions.data?.data.map((session) => (
          <li key={session.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5">
            <div className="min-w-0 flex-1">
              <p className="truncate font-medium">
                {nameBrowser(session.user_agent) ?? t('account.sessions.unknown')}
              </p>
              <p className="truncate text-[0.8125rem] text-muted">
                {session.address} · {t('account.sessions.used')}{' '}
                <TimeText at={session.last_used_at} style="distance" />
              </p>
            </div>
            {session.current ? (
              <Badge tone="good">{t('account.sessions.current')}</Badge>
            ) : (
              <Button
                isSmall
                isBusy={end.isPending && end.variables === session.id}
                onClick={() => end.mutate(session.id)}
              >
                {t('account.sessions.end')}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}
