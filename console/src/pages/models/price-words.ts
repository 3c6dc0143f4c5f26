import type { PriceView } from '../../../../src/admin/prices/price-contract.ts'
import { writeCount, writePrice } from '../../language/format.ts'
import { findText, t } from '../../language/language.ts'

/** The prices of a million input and output tokens, such as "$2.50 / $10.00". */
export function describeRates(view: Pick<PriceView, 'price'>): string {
  const rates = plainRates(view)
  if (rates.length === 0) return t('models.price.other')
  return isFree(rates) ? t('models.price.free') : rates.map(writePrice).join(' / ')
}

/** The lowest of several prices, in the same form. */
export function describeLowest(view: Pick<PriceView, 'price'>): string {
  const rates = plainRates(view)
  if (rates.length === 0) return t('models.price.other')
  return isFree(rates)
    ? t('models.price.lowest.free')
    : t('models.price.lowest', { rates: describeRates(view) })
}

function plainRates({ price }: Pick<PriceView, 'price'>): readonly number[] {
  return [price['input'], price['output']].filter((rate) => typeof rate === 'number')
}

function isFree(rates: readonly number[]): boolean {
  return rates.every((rate) => rate === 0)
}

type RateRow = readonly [name: string, text: string]

/**
 * All rates of a price by name. Rates of a service tier, of long requests or of certain hours start with that
 * condition.
 */
export function listRates({ price }: Pick<PriceView, 'price'>): readonly RateRow[] {
  return Object.entries(price).flatMap(([name, value]) => rowsOf(name, value))
}

function rowsOf(name: string, value: unknown): readonly RateRow[] {
  if (Array.isArray(value)) return value.flatMap((part: unknown) => rowsOf(nameOfPart(name, part), part))
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .filter(([inner]) => !namingFields.includes(inner))
      .flatMap(([inner, of]) => rowsOf(inner, of))
      .map(([inner, text]) => [`${nameRate(name)} · ${inner}`, text])
  return [[nameRate(name), typeof value === 'number' ? writePrice(value) : String(value)]]
}

function nameRate(name: string): string {
  return findText(`models.rate.${name}`) ?? name
}

/** The fields that say when a part of a price applies. */
const namingFields: readonly string[] = ['tokens', 'days', 'from', 'until']

function nameOfPart(name: string, part: unknown): string {
  if (typeof part !== 'object' || part === null) return name
  if ('tokens' in part) return t('models.rate.above', { tokens: writeCount(Number(part.tokens)) })
  if (!('from' in part && 'until' in part)) return name
  const days = 'days' in part && Array.isArray(part.days) ? ` ${part.days.join(', ')}` : ''
  return t('models.rate.hours', { from: String(part.from), until: `${String(part.until)}${days}` })
}
