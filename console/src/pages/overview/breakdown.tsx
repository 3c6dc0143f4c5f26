import { useQuery } from '@tanstack/react-query'
import type { UsageGroupView } from '../../../../src/admin/ledger/usage-contract.ts'
import type { TrafficCountsView } from '../../../../src/admin/requests/traffic-contract.ts'
import { writeDuration, writeShare, writeShortCount } from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { nameWithout } from '../../language/name-without.ts'
import { nameKey } from '../../routing/name-parts.ts'
import { usePermissions } from '../../shell/use-me.ts'
import { Card } from '../../ui/card.tsx'
import { SegmentedChoice } from '../../ui/segmented-choice.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx'
import { Absent, MoneyText } from '../../ui/text.tsx'
import type { OverviewSearchProps } from './overview-page.tsx'
import { defaultSpan, usageByQuery } from './overview-queries.ts'
import { type Dimension, dimensions } from './overview-search.ts'
import { trafficByQuery } from './traffic-queries.ts'
import { inputTokens, outputTokens } from './usage-figures.ts'

/** The models, keys, groups, channels or users with the highest costs. */
export function Breakdown({ search, onChange }: OverviewSearchProps) {
  const { seesAll } = usePermissions()
  const { span = defaultSpan, by = 'model', ...filters } = search
  const report = useQuery(usageByQuery(by, span, filters))
  const traffic = useQuery(trafficByQuery(by, span, filters))
  const offered = seesAll ? dimensions : dimensions.filter((each) => each === 'model' || each === 'key')
  const maxUsd = Math.max(0, ...(report.data?.data.map(({ cost_usd: cost }) => cost) ?? []))
  return (
    <Card
      title={t('overview.breakdown')}
      isFlush
      actions={
        <SegmentedChoice
          label={t('overview.breakdown')}
          value={by}
          choices={offered.map((each) => [each, t(`overview.by.${each}`)])}
          onChange={(next) => onChange({ by: next === 'model' ? undefined : next })}
        />
      }
    >
      {report.isPending && <Skeleton rows={5} />}
      {report.isError && <ErrorState error={report.error} onRetry={() => void report.refetch()} />}
      {report.data?.data.length === 0 && (
        <EmptyState icon="overview" title={t('overview.none')}>
          {t('overview.none.advice')}
        </EmptyState>
      )}
      {report.data !== undefined && report.data.data.length > 0 && (
        <BreakdownTable
          rows={report.data.data}
          by={by}
          maxUsd={maxUsd}
          traffic={traffic.data}
          onChoose={(value) => onChange({ [by]: value })}
        />
      )}
      {report.data?.has_more === true && (
        <p className="border-t border-line px-4 py-2.5 text-muted">
          {t('overview.breakdown.more', { count: report.data.data.length })}
        </p>
      )}
    </Card>
  )
}

interface BreakdownTableProps {
  readonly rows: readonly UsageGroupView[]
  readonly by: Dimension
  readonly maxUsd: number
  /** Errors and latencies by the same names. Undefined if they are not known. */
  readonly traffic: ReadonlyMap<string, TrafficCountsView> | undefined
  readonly onChoose: (value: string) => void
}

function BreakdownTable({ rows, by, maxUsd, traffic, onChoose }: BreakdownTableProps) {
  const right = 'px-3 py-2 text-right font-medium'
  return (
    <div className="max-h-96 overflow-auto">
      <table className="w-full table-fixed">
        <thead className="sticky top-0 bg-surface text-xs text-muted">
          <tr className="border-b border-line">
            <th scope="col" className="px-4 py-2 text-left font-medium">
              {t(`overview.by.${by}`)}
            </th>
            <th scope="col" className={`w-24 max-sm:hidden ${right}`}>
              {t('overview.requests')}
            </th>
            <th scope="col" className={`w-20 max-sm:hidden ${right}`}>
              {t('overview.errors')}
            </th>
            <th scope="col" className={`w-28 max-md:hidden xl:hidden 2xl:table-cell ${right}`}>
              {t('overview.first_content')}
            </th>
            <th scope="col" className={`w-24 ${right}`}>
              {t('overview.tokens')}
            </th>
            <th scope="col" className={`w-28 ${right}`}>
              {t('overview.spend')}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <BreakdownRow
              key={row.by['key_id'] ?? row.by[by]}
              row={row}
              by={by}
              maxUsd={maxUsd}
              traffic={traffic}
              onChoose={onChoose}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface BreakdownRowProps extends Omit<BreakdownTableProps, 'rows'> {
  readonly row: UsageGroupView
}

function BreakdownRow({ row, by, maxUsd, traffic, onChoose }: BreakdownRowProps) {
  const name = row.by[by] ?? null
  const value = row.by['key_id'] ?? name
  const shown = by === 'key' ? nameKey(name ?? value ?? '') : (name ?? value ?? '')
  const counts = traffic?.get(value ?? '')
  const share = maxUsd === 0 ? 0 : (row.cost_usd / maxUsd) * 100
  return (
    <tr className="border-b border-line last:border-0">
      <th scope="row" className="px-4 py-1.5 text-left font-normal">
        {value === null ? (
          <span className="text-muted">{nameWithout(by)}</span>
        ) : (
          <button
            type="button"
            onClick={() => onChoose(value)}
            title={t('overview.filter_by', { name: shown })}
            className="block max-w-full truncate rounded font-medium hover:underline"
          >
            {shown}
          </button>
        )}
        <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true" className="mt-1 h-1 w-full">
          <rect width={share} height="4" rx="2" className="fill-series-1" />
        </svg>
      </th>
      <td className="px-3 text-right tabular-nums max-sm:hidden">{writeShortCount(row.requests)}</td>
      <td className="px-3 text-right tabular-nums max-sm:hidden">
        {counts === undefined || counts.requests === 0 ? (
          <Absent />
        ) : (
          writeShare((counts.refused + counts.failed) / counts.requests)
        )}
      </td>
      <td className="px-3 text-right tabular-nums max-md:hidden xl:hidden 2xl:table-cell">
        {counts?.first_content_ms.p50 == null ? <Absent /> : writeDuration(counts.first_content_ms.p50)}
      </td>
      <td className="px-3 text-right tabular-nums">
        {writeShortCount(inputTokens(row) + outputTokens(row))}
      </td>
      <td className="px-3 text-right">
        <MoneyText usd={row.cost_usd} style="row" />
      </td>
    </tr>
  )
}
