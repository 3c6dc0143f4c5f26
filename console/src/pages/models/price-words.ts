import type { PriceView } from '../../../../src/admin/prices/price-contract.ts'
import { writeUsd } from '../../language/format.ts'
import { findText, t } from '../../language/language.ts'

/** Input and output for a million tokens, such as "$2.50 / $10.00". */
export function describeRates({ price }: Pick<PriceView, 'price'>): string {
  const rates = [price['input'], price['output']].filter((rate) => typeof rate === 'number')
  if (rates.length === 0) return t('models.price.other')
  return rates.every((rate) => rate === 0) ? t('models.price.free') : rates.map(writeUsd).join(' / ')
}

/** All plain rates of a price by name; tiers, hours and service tiers are only named. */
export function listRates({ price }: Pick<PriceView, 'price'>): readonly (readonly [string, string])[] {
  return Object.entries(price).map(([name, value]) => [
    findText(`models.rate.${name}`) ?? name,
    typeof value === 'number' ? writeUsd(value) : JSON.stringify(value),
  ])
}
