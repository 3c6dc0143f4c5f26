import type { PriceView } from '../../../../src/admin/prices/price-contract.ts'
import { writeUsd } from '../../language/format.ts'
import { findText, t } from '../../language/language.ts'

function rateOf({ price }: Pick<PriceView, 'price'>, name: string): number | undefined {
  const rate = price[name]
  return typeof rate === 'number' ? rate : undefined
}

/** Input and output for a million tokens, such as "$2.50 / $10.00". */
export function describeRates(view: Pick<PriceView, 'price' | 'source'>): string {
  if (view.source === 'free') return t('models.price.free')
  const rates = [rateOf(view, 'input'), rateOf(view, 'output')].filter((rate) => rate !== undefined)
  return rates.length === 0 ? t('models.price.other') : rates.map(writeUsd).join(' / ')
}

/** All plain rates of a price by name; tiers, hours and service tiers are only named. */
export function listRates({ price }: Pick<PriceView, 'price'>): readonly (readonly [string, string])[] {
  return Object.entries(price).map(([name, value]) => [
    findText(`models.rate.${name}`) ?? name,
    typeof value === 'number' ? writeUsd(value) : JSON.stringify(value),
  ])
}
