import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import type { UsageGroupView } from '../../../../src/admin/ledger/usage-contract.ts'
import { TimeChart } from '../../charts/time-chart.tsx'
import { writeCount, writeMoment, writeShare, writeUsd, writeZonedMoment } from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { nameWithout } from '../../language/name-without.ts'
import { nameKey } from '../../routing/name-parts.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Menu } from '../../ui/menu.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Banner, EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx'
import { exportUsage } from './export-usage.ts'
import { planUsageChart } from './plan-usage-chart.ts'
import { UsageBars } from './usage-bars.tsx'
import { UsageChoices } from './usage-choices.tsx'
import { UsageFilterBar } from './usage-filter-bar.tsx'
import { measureOf, writeMeasure, writeShortMeasure } from './usage-measures.ts'
import { usageQuery, type WholeReport } from './usage-queries.ts'
import { findTimeUnit, type Measure, type UsageSearch } from './usage-search.ts'
import { UsageTable } from './usage-table.tsx'

/** The usage of any span, by up to two dimensions. */
export function UsagePage() {
  const search = useSearch({ from: '/frame/usage' })
  const navigate = useNavigate({ from: '/usage' })
  const change = useCallback(
    (next: Partial<UsageSearch>) =>
      void navigate({ search: (before) => ({ ...before, ...next }), replace: true }),
    [navigate],
  )
  const usage = useQuery(usageQuery(search))
  const report = usage.data
  return (
    <>
      <PageHeader
        title={t('nav.usage')}
        description={t('usage.description')}
        actions={report !== undefined && report.data.length > 0 && <ExportMenu report={report} />}
      />
      <UsageChoices search={search} onChange={change} />
      <UsageFilterBar search={search} onChange={change} />
      {usage.isPending && <Skeleton rows={10} />}
      {usage.isError && <ErrorState error={usage.error} onRetry={() => void usage.refetch()} />}
      {report !== undefined && report.data.length === 0 && (
        <Card>
          <EmptyState icon="overview" title={t('overview.none')}>
            {t('overview.none.advice')}
          </EmptyState>
        </Card>
      )}
      {report !== undefined && report.data.length > 0 && (
        <div aria-busy={usage.isPlaceholderData} className="space-y-4">
          <Report report={report} search={search} />
        </div>
      )}
    </>
  )
}

function ExportMenu({ report }: { readonly report: WholeReport }) {
  return (
    <Menu
      trigger={<Button icon="download">{t('usage.export')}</Button>}
      sections={[
        [
          { label: t('usage.export.csv'), run: () => exportUsage(report, 'csv') },
          { label: t('usage.export.json'), run: () => exportUsage(report, 'json') },
        ],
      ]}
    />
  )
}

interface ReportProps {
  readonly report: WholeReport
  readonly search: UsageSearch
}

function Report({ report, search }: ReportProps) {
  const { measure = 'cost' } = search
  const dimensions = report.by
  const { totals } = report
  return (
    <>
      {report.isCut && <Banner tone="warn">{t('usage.cut', { count: report.data.length })}</Banner>}
      <Card
        title={t(`usage.measure.${measure}`)}
        actions={
          <p className="text-[0.8125rem] text-muted">
            {t('usage.of_span', { since: writeMoment(report.since), until: writeZonedMoment(report.until) })}
          </p>
        }
      >
        <p className="mb-2 flex flex-wrap items-baseline gap-x-4 gap-y-1">
          <span className="text-2xl font-semibold tabular-nums">
            {writeMeasure(measure, measureOf(measure, totals))}
          </span>
          <span className="text-muted">
            {t('usage.totals', {
              requests: writeCount(totals.requests),
              cost: writeUsd(totals.cost_usd),
              failed: writeShare(totals.attempts === 0 ? 0 : totals.failed / totals.attempts),
            })}
          </span>
        </p>
        <Picture report={report} measure={measure} />
      </Card>
      <UsageTable rows={report.data} dimensions={dimensions} measure={measure} search={search} />
    </>
  )
}

function nameKeyOf(row: UsageGroupView): UsageGroupView {
  const { key } = row.by
  return typeof key === 'string' ? { ...row, by: { ...row.by, key: nameKey(key) } } : row
}

interface PictureProps extends Pick<ReportProps, 'report'> {
  readonly measure: Measure
}

function Picture({ report, measure }: PictureProps) {
  const { data, by: dimensions, since, until } = report
  const rows = useMemo(() => data.map(nameKeyOf), [data])
  const chart = useMemo(
    () =>
      planUsageChart({
        rows,
        dimensions,
        measure,
        sinceMs: Date.parse(since),
        untilMs: Date.parse(until),
        words: {
          none: nameWithout(dimensions.find((each) => each !== findTimeUnit(dimensions))),
          others: t('usage.others'),
          all: t(`usage.measure.${measure}`),
        },
      }),
    [rows, dimensions, measure, since, until],
  )
  if (chart === undefined) return <UsageBars rows={rows} dimensions={dimensions} measure={measure} />
  return (
    <TimeChart
      label={t(`usage.measure.${measure}`)}
      data={chart}
      type="bars"
      write={(value) => writeMeasure(measure, value)}
      writeShort={(value) => writeShortMeasure(measure, value)}
    />
  )
}
