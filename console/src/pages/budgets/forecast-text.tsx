import { useQuery } from '@tanstack/react-query'
import type { BudgetView, ForecastView } from '../../../../src/admin/budgets/budget-contract.ts'
import { writeDistance, writeMoment, writeUsd, writeZonedMoment } from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { nowMs } from '../../time/clock.ts'
import { StatusText } from '../../ui/badge.tsx'
import { Absent } from '../../ui/text.tsx'
import { forecastQuery } from './budget-queries.ts'

interface ForecastTextProps {
  readonly budget: Pick<BudgetView, 'name' | 'value' | 'spent_usd' | 'limit_usd' | 'resets_at'>
}

/** The forecast of a budget in short form. */
export function ForecastText({ budget }: ForecastTextProps) {
  const { name, value, spent_usd: spent, limit_usd: limit } = budget
  const isKnown = spent !== null && limit !== 'unlimited'
  const { data } = useQuery({ ...forecastQuery(name, value ?? undefined), enabled: isKnown })
  if (limit === 'unlimited') return <Missing text={t('budgets.no_limit')} />
  if (spent === null) return <Missing text={t('budgets.each_value.forecast')} />
  if (data === undefined) return <Absent />
  if (data.method === 'none') return <Missing text={t('budgets.too_little')} />
  if (data.method === 'unavailable')
    return (
      <span title={t('budgets.forecast.unavailable')}>
        <StatusText tone="neutral">{t('budgets.forecast.unavailable.short')}</StatusText>
      </span>
    )
  const { runs_out_at: at, ends_with_usd: ends } = data
  if (at !== null)
    return (
      <span title={writeZonedMoment(at)}>
        <StatusText tone="warn">{t('budgets.runs_out', { when: writeDistance(at, nowMs()) })}</StatusText>
      </span>
    )
  if (ends === null) return <StatusText tone="good">{t('budgets.lasts')}</StatusText>
  return <StatusText tone="good">{t('budgets.ends_with', { amount: writeUsd(ends) })}</StatusText>
}

/** Says why a budget has no forecast. */
function Missing({ text }: { readonly text: string }) {
  return <span className="text-muted">{text}</span>
}

/** The forecast in sentences, with the method behind it. */
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
