import { useQuery } from '@tanstack/react-query'
import { writeCount, writeShare, writeShortCount, writeShortUsd, writeUsd } from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { FigureCard } from './figure-card.tsx'
import { type UsageOverTime, usageBeforeQuery } from './overview-queries.ts'
import type { Dimension, OverviewSearch, OverviewSpan } from './overview-search.ts'
import { cacheShare, changeOf, failedShare, inputTokens, outputTokens } from './usage-figures.ts'

interface FiguresProps {
  readonly usage: UsageOverTime
  readonly span: OverviewSpan
  readonly filters: Pick<OverviewSearch, Dimension>
}

/** The span in a few figures, beside those of the span before. */
export function Figures({ usage: { totals }, span, filters }: FiguresProps) {
  const { data: before } = useQuery(usageBeforeQuery(span, filters))
  const tokens = inputTokens(totals) + outputTokens(totals)
  const tokensBefore = before && inputTokens(before) + outputTokens(before)
  const cached = cacheShare(totals)
  const failed = failedShare(totals)
  return (
    <div className="grid grid-cols-2 gap-3 md:grid-cols-3 xl:grid-cols-5">
      <FigureCard
        label={t('overview.requests')}
        value={writeShortCount(totals.requests)}
        title={writeCount(totals.requests)}
        change={changeOf(totals.requests, before?.requests)}
      />
      <FigureCard
        label={t('overview.spend')}
        value={writeShortUsd(totals.cost_usd)}
        title={`US$ ${totals.cost_usd}`}
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
      <FigureCard
        label={t('overview.failed')}
        value={failed === undefined ? '–' : writeShare(failed)}
        detail={t('overview.failed.of', { count: totals.failed, attempts: totals.attempts })}
      />
      <FigureCard
        label={t('overview.cache')}
        value={cached === undefined ? '–' : writeShare(cached)}
        detail={t('overview.cache.why')}
      />
    </div>
  )
}
