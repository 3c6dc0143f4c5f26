import { useQuery } from '@tanstack/react-query'
import { z } from 'zod'
import { settingsViewSchema } from '../../../../src/admin/settings/settings-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { t } from '../../language/language.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card, DetailList } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/copy-button.tsx'
import { ErrorState, Skeleton } from '../../ui/states.tsx'

const receiverSchema = z.object({ webhook: z.string(), signed: z.boolean(), repeat: z.string() })

const EXAMPLE = `alerts:
  webhook: https://alerts.example.com/headgate
  secret: \${ALERTS_SECRET}`

/** The receiver of alerts. Only the configuration file names it, since a webhook is an address with a secret. */
export function AlertReceiver() {
  const settings = useQuery({
    queryKey: ['settings'],
    queryFn: ({ signal }) => callApi({ path: '/settings', answer: settingsViewSchema, signal }),
    select: ({ sections }) =>
      receiverSchema.safeParse(sections.find(({ name }) => name === 'alerts')?.value).data ?? null,
  })
  return (
    <Card title={t('health.receiver')}>
      {settings.isPending && <Skeleton rows={2} />}
      {settings.isError && <ErrorState error={settings.error} onRetry={() => void settings.refetch()} />}
      {settings.data === null && (
        <div className="space-y-3">
          <p className="max-w-3xl">{t('health.receiver.none')}</p>
          <CodeBlock text={EXAMPLE} label={t('health.receiver.lines')} className="max-w-2xl" />
        </div>
      )}
      {settings.data != null && (
        <DetailList
          rows={[
            [t('health.receiver.webhook'), <code key="webhook">{settings.data.webhook}</code>],
            [
              t('health.receiver.signed'),
              settings.data.signed ? (
                <Badge key="signed" tone="good">
                  {t('health.receiver.signed.yes')}
                </Badge>
              ) : (
                <Badge key="signed" tone="warn">
                  {t('health.receiver.signed.no')}
                </Badge>
              ),
            ],
            [t('health.receiver.repeat'), settings.data.repeat],
          ]}
        />
      )}
    </Card>
  )
}
