import type { PriceView } from '../../../../src/admin/prices/price-contract.ts'
import { writeUsd } from '../../language/format.ts'
import { findText, t } from '../../language/language.ts'

/** Input and output for a million tokens, such as "$2.50 / $10.00". */
export function describeRates(view: Pick<PriceView, 'price'>): string {
  const rates = plainRates(view)
  if (rates.length === 0) return t('models.price.other')
  return isFree(rates) ? t('models.price.free') : rates.map(writeUsd).join(' / ')
}

/** The same of the lowest of several prices. */
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

/** All plain rates of a price by name; tiers, hours and service tiers are only named. */
export function listRates({ price }: Pick<PriceView, 'price'>): readonly (readonly [string, string])[] {
  return Object.entries(price).map(([name, value]) => [
    findText(`models.rate.${name}`) ?? name,
    typeof value === 'number' ? writeUsd(value) : JSON.stringify(value),
  ])
}
