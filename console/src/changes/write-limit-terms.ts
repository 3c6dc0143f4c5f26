import { describeLimit } from '../budgets/budget-meter.tsx'
import { describeRate } from '../budgets/limit-lines.tsx'
import { readLimits } from '../budgets/written-limits.ts'
import { findText, t } from '../language/language.ts'

/** A budget of a record, in words. Members without a word here follow in the syntax of the configuration. */
export function writeBudgetTerms(value: string): string {
  const [budget] = readLimits({ budgets: [readJson(value)] }).budgets
  if (budget === undefined) return value
  const { limit_usd, window, mode, warn_at: warnAt, time_zone: zone, at_limit, fallback, ...others } = budget
  return [
    describeLimit({ limit_usd, window }),
    t(`budget.mode.${mode}`),
    ...(warnAt.length === 0 ? [] : [t('audit.warn_at', { shares: warnAt.join(', ') })]),
    ...(zone === undefined ? [] : [`${t('budgets.time_zone')} ${String(zone)}`]),
    ...writeAtLimit(at_limit, fallback),
    ...listOthers(others),
  ].join(', ')
}

function writeAtLimit(atLimit: unknown, fallback: unknown): readonly string[] {
  if (atLimit === undefined) return []
  const model = String(fallback ?? '')
  return [findText(`budgets.at_limit.${String(atLimit)}`, { model }) ?? `at_limit ${String(atLimit)}`]
}

/** A rate limit of a record, in words. */
export function writeRateTerms(value: string): string {
  const { rate } = readLimits({ rate: readJson(value) })
  if (rate === null) return value
  const { rpm, tpm, input_tpm, output_tpm, concurrency, ...others } = rate
  return [...describeRate({ rpm, tpm, input_tpm, output_tpm, concurrency }), ...listOthers(others)].join(', ')
}

function listOthers(fields: object): readonly string[] {
  return Object.entries(fields).map(([name, value]) => `${name} ${String(value)}`)
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // An expected failure: a record of another version may hold text that is not JSON. The text is shown unchanged.
    return undefined
  }
}
