import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type AlertView, alertViewSchema } from '../../../../src/admin/alerts/alert-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { explainError } from '../../api/describe-error.ts'
import { writeAuthor } from '../../changes/write-actor.ts'
import { t } from '../../language/language.ts'
import { useMay } from '../../shell/use-me.ts'
import { Badge, StatusText } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { InParts } from '../../ui/in-parts.tsx'
import { ErrorState, Skeleton } from '../../ui/states.tsx'
import { TimeText } from '../../ui/text.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { AlertAdvice } from './alert-advice.tsx'
import { openAlertsQuery, pastAlertsQuery, severityTones } from './alert-queries.ts'
import { describeAlert } from './describe-alert.ts'

/** The open alerts, each with the actions of an operator. */
export function OpenAlerts() {
  const alerts = useQuery(openAlertsQuery)
  return (
    <Card title={t('alerts.open')} isFlush>
      <div className="px-4 pb-3">
        {alerts.isPending && <Skeleton rows={2} />}
        {alerts.isError && <ErrorState error={alerts.error} onRetry={() => void alerts.refetch()} />}
        {alerts.data?.data.length === 0 && <p className="text-muted">{t('alerts.open.none')}</p>}
      </div>
      {alerts.data !== undefined && alerts.data.data.length > 0 && (
        <InParts rows={alerts.data.data}>{(alert) => <AlertItem key={alert.id} alert={alert} />}</InParts>
      )}
      {alerts.data !== undefined && alerts.data.next_after !== null && (
        <p className="border-t border-line px-4 py-3 text-muted">
          {t('alerts.open.cut', { count: alerts.data.data.length })}
        </p>
      )}
    </Card>
  )
}

/** The alerts that have ended, page by page. */
export function PastAlerts() {
  const alerts = useInfiniteQuery(pastAlertsQuery)
  const rows = alerts.data?.pages.flatMap(({ data }) => data) ?? []
  return (
    <Card title={t('alerts.past')} isFlush>
      <div className="px-4 pb-3">
        {alerts.isPending && <Skeleton rows={2} />}
        {alerts.isError && <ErrorState error={alerts.error} onRetry={() => void alerts.refetch()} />}
        {alerts.data !== undefined && rows.length === 0 && (
          <p className="text-muted">{t('alerts.past.none')}</p>
        )}
      </div>
      {rows.length > 0 && (
        <ul className="divide-y divide-line border-t border-line">
          {rows.map((alert) => (
            <AlertItem key={alert.id} alert={alert} />
          ))}
        </ul>
      )}
      {alerts.hasNextPage && (
        <div className="border-t border-line px-4 py-3">
          <Button isSmall isBusy={alerts.isFetchingNextPage} onClick={() => void alerts.fetchNextPage()}>
            {t('alerts.past.more')}
          </Button>
        </div>
      )}
    </Card>
  )
}

function AlertItem({ alert }: { readonly alert: AlertView }) {
  const { severity, kind, resolution, acknowledged, muted } = alert
  const mayAct = useMay('POST /alerts/{id}/acknowledge')
  const isOpen = resolution === null
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-72 space-y-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          {isOpen ? (
            <StatusText tone={severityTones[severity]}>{t(`alerts.severity.${severity}`)}</StatusText>
          ) : (
            <StatusText tone="good">{t(`alerts.resolution.${resolution}`)}</StatusText>
          )}
          <span className="font-medium">{t(`alerts.kind.${kind}`)}</span>
          {acknowledged !== null && (
            <Badge tone="accent">
              {t('alerts.acknowledged', { name: writeAuthor({ author: acknowledged.by_fact }) })}
            </Badge>
          )}
          {muted !== null && (
            <Badge>{t('alerts.muted', { name: writeAuthor({ author: muted.by_fact }) })}</Badge>
          )}
        </p>
        <p className="break-words">{describeAlert(alert)}</p>
        {isOpen && <AlertAdvice alert={alert} />}
        <p className="text-[0.8125rem] text-muted">
          <TimeText at={alert.opened_at} style="distance" />
          {alert.resolved_at !== null && (
            <>
              {' – '}
              <TimeText at={alert.resolved_at} style="distance" />
            </>
          )}
          {acknowledged?.comment != null && <span className="block break-words">{acknowledged.comment}</span>}
        </p>
      </div>
      {isOpen && mayAct && <AlertActions alert={alert} />}
    </li>
  )
}

function AlertActions({ alert: { id, acknowledged, muted } }: { readonly alert: AlertView }) {
  const acknowledge = useChange(id, { method: 'POST', action: 'acknowledge', body: {} })
  const mute = useChange(id, { method: 'POST', action: 'mute', body: { for: '24h' } })
  const unmute = useChange(id, { method: 'DELETE', action: 'mute' })
  return (
    <div className="flex flex-wrap gap-2">
      {acknowledged === null && (
        <Button isSmall icon="check" isBusy={acknowledge.isPending} onClick={() => acknowledge.mutate()}>
          {t('alerts.acknowledge')}
        </Button>
      )}
      {muted === null ? (
        <Button isSmall icon="clock" isBusy={mute.isPending} onClick={() => mute.mutate()}>
          {t('alerts.mute')}
        </Button>
      ) : (
        <Button isSmall icon="undo" isBusy={unmute.isPending} onClick={() => unmute.mutate()}>
          {t('alerts.unmute')}
        </Button>
      )}
    </div>
  )
}

interface AlertChange {
  readonly method: 'POST' | 'DELETE'
  readonly action: 'acknowledge' | 'mute'
  readonly body?: object
}

function useChange(id: string, { method, action, body }: AlertChange) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () =>
      callApi({ method, path: `/alerts/${encodeURIComponent(id)}/${action}`, body, answer: alertViewSchema }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['alerts'] }),
    onError: (error) => showToast(explainError(error), { tone: 'bad' }),
  })
}
