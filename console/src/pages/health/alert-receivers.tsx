import { useQuery } from '@tanstack/react-query'
import type { ReceiverView } from '../../../../src/admin/alerts/alert-contract.ts'
import { writeDeliveryReason } from '../../health/delivery-reason.ts'
import { t } from '../../language/language.ts'
import { useMay } from '../../shell/use-me.ts'
import { Badge, StatusText } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/copy-button.tsx'
import { ErrorState, Skeleton } from '../../ui/states.tsx'
import { TimeText } from '../../ui/text.tsx'
import { AddAlertEntry, AlertEntryActions } from './alert-entry-actions.tsx'
import type { AlertPart } from './alert-entry-form.tsx'
import { alertRulesQuery, receiverNames, receiversQuery } from './alert-queries.ts'
import { ReceiverAdded } from './receiver-added.tsx'
import { readReceiver } from './reread-alert-entries.ts'
import { useReceiverTest } from './use-receiver-test.ts'

const part: AlertPart = {
  kind: 'alert-receivers',
  path: 'receivers',
  word: 'type',
  texts: 'receiver',
  nameWord: (type) => Object.entries(receiverNames).find(([name]) => name === type)?.[1] ?? type,
}

const EXAMPLE = `alerts:
  receivers:
    - { name: ops, type: slack, url: "\${SLACK_WEBHOOK}" }
    - { name: on-call, type: pagerduty, routing_key: "\${PAGERDUTY_KEY}", severity: critical }`

/** The receivers of alerts, each with a test button. */
export function AlertReceivers() {
  const receivers = useQuery(receiversQuery)
  const owner = useQuery(alertRulesQuery).data?.owner
  const changes = useMay('PUT /alerts/receivers/{name}')
  const manages = changes && owner !== undefined && owner !== 'file'
  return (
    <Card
      title={t('health.receiver')}
      actions={
        manages && (
          <AddAlertEntry part={part} next={(name, onDone) => <ReceiverAdded name={name} onDone={onDone} />} />
        )
      }
      isFlush={receivers.data !== undefined && receivers.data.data.length > 0}
    >
      {receivers.isPending && <Skeleton rows={2} />}
      {receivers.isError && <ErrorState error={receivers.error} onRetry={() => void receivers.refetch()} />}
      {receivers.data?.data.length === 0 && !changes && (
        <p className="max-w-3xl">{t('health.receiver.none.view')}</p>
      )}
      {receivers.data?.data.length === 0 && changes && (
        <div className="space-y-3">
          <p className="max-w-3xl">{t('health.receiver.none')}</p>
          <CodeBlock text={EXAMPLE} label={t('health.receiver.lines')} className="max-w-3xl" />
        </div>
      )}
      {receivers.data !== undefined && receivers.data.data.length > 0 && (
        <ul className="mt-2 divide-y divide-line border-t border-line">
          {receivers.data.data.map((receiver) => (
            <ReceiverItem key={receiver.name} receiver={receiver} manages={manages} />
          ))}
        </ul>
      )}
    </Card>
  )
}

interface ReceiverItemProps {
  readonly receiver: ReceiverView
  readonly manages: boolean
}

function ReceiverItem({ receiver, manages }: ReceiverItemProps) {
  const { name, type, address, signed, kinds, severity, last_delivery: last } = receiver
  const mayTest = useMay('POST /alerts/test')
  const test = useReceiverTest(name)
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-64 space-y-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="font-medium break-words">{name}</span>
          <Badge>{receiverNames[type]}</Badge>
          {signed && <Badge tone="good">{t('health.receiver.signed.yes')}</Badge>}
        </p>
        <p className="text-[0.8125rem] break-all text-muted">
          <code>{address}</code>
        </p>
        <p className="text-[0.8125rem] text-muted">
          {kinds === null ? t('alerts.kinds.all') : kinds.map((kind) => t(`alerts.kind.${kind}`)).join(', ')}
          {' · '}
          {t('alerts.from', { severity: t(`alerts.severity.${severity}`) })}
        </p>
        {last !== null && (
          <p className="flex flex-wrap items-center gap-x-2 text-[0.8125rem]">
            <StatusText tone={last.delivered ? 'good' : 'bad'}>
              {last.delivered ? t('alerts.delivered') : t('alerts.not_delivered')}
            </StatusText>
            <TimeText at={last.at} style="distance" />
            {!last.delivered && <span className="break-words text-muted">{writeDeliveryReason(last)}</span>}
          </p>
        )}
      </div>
      {mayTest && (
        <Button isSmall icon="play" isBusy={test.isPending} onClick={() => test.mutate()}>
          {t('alerts.test')}
        </Button>
      )}
      {manages && <AlertEntryActions part={part} entry={readReceiver(receiver)} title={name} isWritten />}
    </li>
  )
}
