import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { HealthView } from '../../../../src/admin/health-contract.ts'
import { healthQuery } from '../../health/channel-health.ts'
import { countStates } from '../../health/sum-up-health.ts'
import { t } from '../../language/language.ts'
import { useMay } from '../../shell/use-me.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Banner, EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx'
import { OpenAlerts, PastAlerts } from './alert-list.tsx'
import { AlertReceivers } from './alert-receivers.tsx'
import { AlertRules } from './alert-rules.tsx'
import { FailureHistory } from './failure-history.tsx'
import { HealthLines } from './health-lines.tsx'

/** The current health of channels, the open alerts, and the history of failures. */
export function HealthPage() {
  const health = useQuery(healthQuery)
  return (
    <>
      <PageHeader title={t('nav.health')} description={t('health.description')} />
      {health.isPending && <Skeleton rows={6} />}
      {health.isError && <ErrorState error={health.error} onRetry={() => void health.refetch()} />}
      <div className="space-y-4">
        {health.data !== undefined && <Current health={health.data} />}
        <OpenAlerts />
        <FailureHistory />
        <AlertReceivers />
        <AlertRules />
        <PastAlerts />
      </div>
    </>
  )
}

function Current({ health: { channels, data, queue } }: { readonly health: HealthView }) {
  const mayReset = useMay('POST /health/reset')
  const impaired = data.filter(({ state }) => state !== 'healthy')
  const raised = impaired.filter((line) => line.needs_operator)
  const passing = impaired.filter((line) => !line.needs_operator)
  return (
    <>
      {channels.length === 0 ? (
        <NoChannels />
      ) : impaired.length === 0 ? (
        <Healthy health={{ channels, data }} />
      ) : null}
      {queue !== null && queue.waiting > 0 && (
        <Banner tone="warn">{t('health.queue', { waiting: queue.waiting, size: queue.size })}</Banner>
      )}
      {raised.length > 0 && (
        <Card title={t(mayReset ? 'health.needs_you' : 'health.needs_operator')} isFlush>
          <p className="px-4 pb-3 text-muted">
            {t(mayReset ? 'health.needs_you.why' : 'health.needs_operator.why')}
          </p>
          <HealthLines lines={raised} />
        </Card>
      )}
      {passing.length > 0 && (
        <Card title={t('health.impaired')} isFlush>
          <p className="px-4 pb-3 text-muted">{t('health.impaired.why')}</p>
          <HealthLines lines={passing} />
        </Card>
      )}
    </>
  )
}

/** The number of healthy channels. Channels without a request are counted separately. */
function Healthy({ health }: { readonly health: Pick<HealthView, 'channels' | 'data'> }) {
  const { healthy, unused } = countStates(health)
  if (healthy === 0) return <Banner tone="accent">{t('health.none_used', { count: unused })}</Banner>
  if (unused === 0) return <Banner tone="good">{t('health.all_good', { count: healthy })}</Banner>
  return <Banner tone="good">{t('health.some_used', { healthy, unused })}</Banner>
}

function NoChannels() {
  return (
    <Card>
      <EmptyState
        icon="channel"
        title={t('health.no_channels')}
        action={
          <Link to="/channels" className={buttonClass('plain')}>
            {t('nav.channels')}
          </Link>
        }
      >
        {t('health.no_channels.advice')}
      </EmptyState>
    </Card>
  )
}
