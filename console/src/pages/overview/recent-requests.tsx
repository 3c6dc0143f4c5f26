import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { requestListSchema } from '../../../../src/admin/requests/request-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { writeDuration } from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/badge.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx'
import { TimeText } from '../../ui/text.tsx'

const LOOK_MS = 2_000
const MAX_ROWS = 8

/** The most recently ended requests, regardless of the span and the filters. */
export const recentQuery = queryOptions({
  queryKey: ['requests', 'recent'],
  queryFn: ({ signal }) =>
    callApi({ path: '/requests', query: { limit: MAX_ROWS }, answer: requestListSchema, signal }),
  refetchInterval: LOOK_MS,
})

/** The most recently ended requests, updated as requests end. */
export function RecentRequests() {
  const recent = useQuery(recentQuery)
  return (
    <Card
      title={t('overview.recent')}
      isFlush
      actions={
        <Link to="/requests" search={{ live: true }} className={buttonClass('quiet', true)}>
          {t('requests.live')}
        </Link>
      }
    >
      {recent.isPending && <Skeleton rows={5} />}
      {recent.isError && <ErrorState error={recent.error} />}
      {recent.data?.data.length === 0 && (
        <EmptyState icon="requests" title={t('requests.none')}>
          {t('requests.none.advice')}
        </EmptyState>
      )}
      <ul className="divide-y divide-line">
        {recent.data?.data.map(({ id, request_id: requestId, status, model, ended_at: at, total_ms: ms }) => (
          <li key={id} className="relative flex items-center gap-3 px-4 py-2 hover:bg-hover/60">
            <Badge tone={status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good'}>{status}</Badge>
            <Link
              to="/requests/$id"
              params={{ id: requestId }}
              className="min-w-0 flex-1 truncate font-medium after:absolute after:inset-0 hover:underline"
            >
              {model ?? requestId}
            </Link>
            <span className="text-muted tabular-nums">{writeDuration(ms)}</span>
            <span className="w-24 truncate text-right text-muted">
              <TimeText at={at} style="distance" />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
