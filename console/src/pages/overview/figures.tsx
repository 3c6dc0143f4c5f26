import { useQuery } from '@tanstack/react-query'
import type { TrafficCountsView } from '../../../../src/admin/requests/traffic-contract.ts'
import {
  writeCount,
  writeDuration,
  writePrice,
  writeShare,
  writeShortCount,
  writeShortUsd,
  writeUsd,
} from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { FigureCard } from './figure-card.tsx'
import { type UsageOverTime, usageBeforeQuery } from './overview-queries.ts'
import type { Dimension, OverviewSearch, OverviewSpan } from './overview-search.ts'
import { trafficBeforeQuery, trafficOverTimeQuery } from './traffic-queries.ts'
import { cacheShare, changeOf, inputTokens, outputTokens } from './usage-figures.ts'

interface FiguresProps {
  readonly usage: UsageOverTime
  readonly span: OverviewSpan
  readonly filters: Pick<OverviewSearch, Dimension>
}

interface TrafficFiguresProps {
  readonly counts: TrafficCountsView | undefined
}

/** Errors and latencies. The cards have no value if these are not known. */
function TrafficFigures({ counts }: TrafficFiguresProps) {
  const errors = counts === undefined ? 0 : counts.refused + counts.failed
  const share = counts === undefined || counts.requests === 0 ? undefined : errors / counts.requests
  return (
    <>
      <FigureCard
        label={t('overview.errors')}
        value={share === undefined ? '–' : writeShare(share)}
        {...(counts !== undefined && {
          detail: t('overview.errors.of', {
            refused: writeShortCount(counts.refused),
            failed: writeShortCount(counts.failed),
          }),
          detailTitle: t('overview.errors.why'),
        })}
      />
      <LatencyFigure label={t('overview.first_content')} latency={counts?.first_content_ms} />
      <LatencyFigure label={t('overview.whole')} latency={counts?.total_ms} />
    </>
  )
}

interface LatencyFigureProps {
  readonly label: string
  readonly latency: TrafficCountsView['total_ms'] | undefined
}

function LatencyFigure({ label, latency }: LatencyFigureProps) {
  const write = (ms: number | null | undefined) => (ms === null || ms === undefined ? '–' : writeDuration(ms))
  return (
    <FigureCard
      label={label}
      value={write(latency?.p50)}
      title={t('overview.p50')}
      {...(latency !== undefined &&
        latency.p50 !== null && {
          detail: t('overview.latency.detail', { p95: write(latency.p95), p99: write(latency.p99) }),
        })}
    />
  )
}

/**
 * The layout fills every line with the seven figures: four and three, pairs with the last one wide, or all in one
 * row.
 */
const figureGrid = [
  'grid grid-cols-2 gap-3 max-md:[&>:last-child]:col-span-2',
  'md:grid-cols-12 md:[&>*]:col-span-3 md:[&>:nth-child(n+5)]:col-span-4',
  '2xl:grid-cols-7 2xl:[&>*]:col-span-1 2xl:[&>:nth-child(n+5)]:col-span-1',
].join(' ')

/** The figures of the span, compared with those of the previous span. */
export function Figures({ usage: { totals }, span, filters }: FiguresProps) {
  const { data: before } = useQuery(usageBeforeQuery(span, filters))
  const tokens = inputTokens(totals) + outputTokens(totals)
  const tokensBefore = before && inputTokens(before) + outputTokens(before)
  const cached = cacheShare(totals)
  const { data: traffic } = useQuery(trafficOverTimeQuery(span, filters))
  const { data: trafficBefore } = useQuery(trafficBeforeQuery(span, filters))
  // The ledger has no rows for refused requests.
  const requests = traffic?.totals.requests ?? totals.requests
  return (
    <div className={figureGrid}>
      <FigureCard
        label={t('overview.requests')}
        value={writeShortCount(requests)}
        title={writeCount(requests)}
        change={changeOf(requests, traffic === undefined ? before?.requests : trafficBefore?.requests)}
      />
      <FigureCard
        label={t('overview.spend')}
        value={writeShortUsd(totals.cost_usd)}
        title={writePrice(totals.cost_usd)}
        change={changeOf(totals.cost_usd, before?.cost_usd)}
        {...(totals.charged_usd !== totals.cost_usd && {
          detail: t('overview.charged', { charged: writeUsd(totals.charged_usd) }),
        })}
      />
      <FigureCard
        label={t('overview.tokens')}
        value={writeShortCount(tokens)}
        title={writeCount(tokens)}
        change={changeOf(tokens, tokensBefore)}
        detail={t('overview.in_out', {
          input: writeShortCount(inputTokens(totals)),
          output: writeShortCount(outputTokens(totals)),
        })}
      />
      <TrafficFigures counts={traffic?.totals} />
      <FigureCard
        label={t('overview.cache')}
        value={cached === undefined ? '–' : writeShare(cached)}
        detail={t('overview.cache.why')}
      />
    </div>
  )
}
