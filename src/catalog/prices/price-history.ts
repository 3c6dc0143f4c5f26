import type { PriceHistory, PriceVersion } from './price.ts'

/** The version in force; undefined before the first. */
export function priceAt(history: PriceHistory, nowMs: number): PriceVersion | undefined {
  return history.findLast(({ effectiveFromMs }) => effectiveFromMs <= nowMs)
}

/** What stands above is in force from its first version on; until then what stands below is. */
export function layPrices(
  above: PriceHistory | undefined,
  below: PriceHistory | undefined,
): PriceHistory | undefined {
  if (above === undefined || below === undefined) return above ?? below
  const [first, ...others] = above
  const earlier = below.filter(({ effectiveFromMs }) => effectiveFromMs < first.effectiveFromMs)
  const [start, ...later] = earlier
  return start === undefined ? above : [start, ...later, first, ...others]
}
