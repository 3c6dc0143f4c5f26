import { useQuery } from '@tanstack/react-query'
import type { BudgetView, ForecastView } from '../../../../src/admin/budgets/budget-contract.ts'
import { writeDistance, writeMoment, writeUsd } from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { nowMs } from '../../time/clock.ts'
import { StatusText } from '../../ui/badge.tsx'
import { Absent } from '../../ui/text.tsx'
import { forecastQuery } from './budget-queries.ts'

interface ForecastTextProps {
  readonly budget: Pick<BudgetView, 'name' | 'value' | 'spent_usd' | 'limit_usd' | 'resets_at'>
}

/** The forecast of a budget in a few words. */
export function ForecastText({ budget }: ForecastTextProps) {
  const { name, value, spent_usd: spent, limit_usd: limit } = budget
  const isKnown = spent !== null && limit !== 'unlimited'
  const { data } = useQuery({ ...forecastQuery(name, value ?? undefined), enabled: isKnown })
  if (data === undefined || data.method === 'none') return <Absent />
  if (data.method === 'unavailable')
    return (
      <span title={t('budgets.forecast.unavailable')}>
        <StatusText tone="neutral">{t('budgets.forecast.unavailable.short')}</StatusText>
      </span>
    )
  const { runs_out_at: at, ends_with_usd: ends } = data
  if (at !== null)
    return (
      <span title={writeMoment(at)}>
        <StatusText tone="warn">{t('budgets.runs_out', { when: writeDistance(at, nowMs()) })}</StatusText>
      </span>
    )
  if (ends === null) return <StatusText tone="good">{t('budgets.lasts')}</StatusText>
  return <StatusText tone="good">{t('budgets.ends_with', { amount: writeUsd(ends) })}</StatusText>
}

/** The forecast in sentences, with how it was made. */
export function ForecastBlock({ forecast }: { readonly forecast: ForecastView }) {
  const { method, runs_out_at: at, ends_with_usd: ends, history_since: since, looks_until: until } = forecast
  if (method === 'none') return <p className="text-muted">{t('budgets.forecast.none')}</p>
  if (method === 'unavailable') return <p className="text-muted">{t('budgets.forecast.unavailable')}</p>
  const now = nowMs()
  return (
    <div className="space-y-1.5">
      <p className="font-medium">
        {at === null
          ? t('budgets.forecast.lasts', { until: writeMoment(until) })
          : t('budgets.forecast.runs_out', { at: writeMoment(at), when: writeDistance(at, now) })}
      </p>
      {ends !== null && (
        <p>{t('budgets.forecast.ends', { amount: writeUsd(ends), at: writeMoment(until) })}</p>
      )}
      <p className="text-[0.8125rem] text-muted">
        {t(`budgets.method.${method}`, { since: since === null ? '–' : writeMoment(since) })}
      </p>
    </div>
  )
}
