import type { Catalog } from '../../catalog/catalog.ts'
import { findUnpriced } from '../../catalog/prices/find-unpriced.ts'
import type { Config } from '../config.ts'

const MOST_NAMES = 10

/** The served models that have no price, in one sentence. */
export function warnOfPrices({ unpriced }: Pick<Config, 'unpriced'>, catalog: Catalog): readonly string[] {
  const names = findUnpriced(catalog)
  if (names.length === 0) return []
  const shown = names.slice(0, MOST_NAMES).join(', ')
  const rest = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : ''
  const consequence =
    unpriced === 'refuse' ? 'requests for them are refused' : 'what they cost is not counted'
  return [`models: no price is known for ${shown}${rest}, so ${consequence}; give each a "price"`]
}
