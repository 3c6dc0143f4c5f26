import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { TrafficCountsView } from '../../../../src/admin/requests/traffic-contract.ts'
import { hasCode } from '../../api/api-error.ts'
import type { ChartData, Series } from '../../charts/chart-data.ts'
import { TimeChart } from '../../charts/time-chart.tsx'
import { writeCount, writeDuration, writeShortCount } from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { Card } from '../../ui/card.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx'
import type { Dimension, OverviewSearch, OverviewSpan } from './overview-search.ts'
import { type TrafficOverTime, trafficOverTimeQuery } from './traffic-queries.ts'

interface TrafficChartsProps {
  readonly span: OverviewSpan
  readonly filters: Pick<OverviewSearch, Dimension>
}

/** Charts of requests with their errors, and of latencies. */
export function TrafficCharts({ span, filters }: TrafficChartsProps) {
  const traffic = useQuery(trafficOverTimeQuery(span, filters))
  if (traffic.isPending)
    return [t('overview.requests'), t('overview.first_content'), t('overview.whole')].map((title) => (
      <Card key={title} title={title}>
        <Skeleton rows={6} />
      </Card>
    ))
  if (traffic.isError)
    return (
      <Card title={t('overview.requests')}>
        {hasCode(traffic.error, 'invalid_field') ? (
          <EmptyState icon="filter" title={t('overview.uncounted')}>
            {t('overview.uncounted.advice')}
          </EmptyState>
        ) : (
          <ErrorState error={traffic.error} onRetry={() => void traffic.refetch()} />
        )}
      </Card>
    )
  return <Charts traffic={traffic.data} />
}

/** The charts. Without requests they are left out, as the breakdown below says what to do. */
function Charts({ traffic }: { readonly traffic: TrafficOverTime }) {
  const requests = useMemo(() => requestData(traffic), [traffic])
  const first = useMemo(() => latencyData(traffic, ({ first_content_ms: ms }) => ms), [traffic])
  const whole = useMemo(() => latencyData(traffic, ({ total_ms: ms }) => ms), [traffic])
  if (traffic.totals.requests === 0) return null
  return (
    <>
      <Card title={t('overview.requests')}>
        <TimeChart
          label={t('overview.requests')}
          data={requests}
          type="bars"
          write={writeCount}
          writeShort={writeShortCount}
        />
      </Card>
      <Card title={t('overview.first_content')}>
        <TimeChart label={t('overview.first_content')} data={first} type="lines" write={writeDuration} />
      </Card>
      <Card title={t('overview.whole')}>
        <TimeChart label={t('overview.whole')} data={whole} type="lines" write={writeDuration} />
      </Card>
    </>
  )
}

function requestData({ times, stepMs, counts }: TrafficOverTime): ChartData {
  const series = (
    id: string,
    label: string,
    colour: Series['colour'],
    of: (counts: TrafficCountsView) => number,
  ): Series => ({
    id,
    label,
    colour,
    values: counts.map((each) => (each === undefined ? 0 : of(each))),
  })
  return {
    times,
    stepMs,
    series: [
      series('answered', t('overview.answered'), 2, (each) => each.requests - each.refused - each.failed),
      series('refused', t('overview.refused'), 7, ({ refused }) => refused),
      series('failed', t('overview.failed'), 3, ({ failed }) => failed),
    ],
  }
}

function latencyData(
  { times, stepMs, counts }: TrafficOverTime,
  of: (counts: TrafficCountsView) => TrafficCountsView['total_ms'],
): ChartData {
  const shares = [
    ['p50', t('overview.p50'), 1],
    ['p95', t('overview.p95'), 4],
    ['p99', t('overview.p99'), 6],
  ] as const
  const series = shares.map(([id, label, colour]) => ({
    id,
    label,
    colour,
    values: counts.map((each) => (each === undefined ? null : of(each)[id])),
  }))
  return { times, stepMs, series }
}
