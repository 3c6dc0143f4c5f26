import { useMemo } from 'react'
import type { UsageSumsView } from '../../../../src/admin/ledger/usage-contract.ts'
import type { ChartData, Series } from '../../charts/chart-data.ts'
import { TimeChart } from '../../charts/time-chart.tsx'
import { writeCount, writeShare, writeShortCount, writeShortUsd, writeUsd } from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { Card } from '../../ui/card.tsx'
import type { UsageOverTime } from './overview-queries.ts'
import { cacheShare } from './usage-figures.ts'

type Measure = readonly [
  id: string,
  label: string,
  colour: Series['colour'],
  of: (sums: UsageSumsView) => number,
]

function createData({ times, stepMs, sums }: UsageOverTime, measures: readonly Measure[]): ChartData {
  const series = measures.map(([id, label, colour, of]) => ({
    id,
    label,
    colour,
    values: sums.map((each) => (each === undefined ? 0 : of(each))),
  }))
  return { times, stepMs, series }
}

/** Charts of spending, tokens and the cached share over the span. */
export function UsageCharts({ usage }: { readonly usage: UsageOverTime }) {
  const spend = useMemo(
    () => createData(usage, [['spend', t('overview.spend'), 1, (sums) => sums.cost_usd]]),
    [usage],
  )
  const tokens = useMemo(() => createData(usage, tokenMeasures()), [usage])
  const cached = useMemo(() => cacheData(usage), [usage])
  if (usage.totals.attempts === 0) return null
  return (
    <>
      <Card title={t('overview.spend')}>
        <TimeChart
          label={t('overview.spend')}
          data={spend}
          type="bars"
          write={writeUsd}
          writeShort={writeShortUsd}
        />
      </Card>
      <Card title={t('overview.tokens')}>
        <TimeChart
          label={t('overview.tokens')}
          data={tokens}
          type="bars"
          write={writeCount}
          writeShort={writeShortCount}
        />
      </Card>
      <Card title={t('overview.cache')}>
        <TimeChart label={t('overview.cache')} data={cached} type="lines" write={writeShare} />
      </Card>
    </>
  )
}

function tokenMeasures(): readonly Measure[] {
  return [
    ['fresh', t('usage.fresh_input'), 1, ({ usage }) => usage.fresh_input_tokens],
    ['read', t('usage.cache_read'), 2, ({ usage }) => usage.cache_read_tokens],
    [
      'write',
      t('usage.cache_write'),
      5,
      ({ usage }) => usage.cache_write_short_tokens + usage.cache_write_long_tokens,
    ],
    ['output', t('usage.output'), 4, ({ usage }) => usage.output_tokens],
  ]
}

function cacheData({ times, stepMs, sums }: UsageOverTime): ChartData {
  const values = sums.map((each) => (each === undefined ? null : (cacheShare(each) ?? null)))
  return { times, stepMs, series: [{ id: 'cache', label: t('overview.cache'), colour: 2, values }] }
}
