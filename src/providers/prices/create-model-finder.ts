import type { NanoDollars } from '../../canonical/money.ts'
import type { FindKnownModel } from '../../catalog/prices/find-price.ts'
import type { PriceHistory, PriceVersionId } from '../../catalog/prices/price.ts'
import type { PriceIndex } from '../../catalog/prices/price-index.ts'
import type { ModelLimits, TableModel } from '../../catalog/prices/price-table.ts'
import { readTablePrices } from '../../catalog/prices/read-table-prices.ts'
import { brand } from '../../kit/brand.ts'
import type { ProviderRegistry } from '../provider.ts'

const nothing = brand<NanoDollars>(0)

/** The price of an operator's own server, and of models that a provider gives away. */
const free: PriceHistory = [
  {
    id: brand<PriceVersionId>('free'),
    effectiveFromMs: 0,
    source: 'table',
    sheets: [{ tier: 'standard', aboveInputTokens: 0, rates: { input: nothing, output: nothing } }],
    toolCalls: {},
  },
]

/**
 * Finds the models of channels in the tables. The table with the latest date comes first. Tables of the same date keep
 * their order.
 */
export function createModelFinder(registry: ProviderRegistry, tables: readonly PriceIndex[]): FindKnownModel {
  const newestFirst = tables.toSorted((left, right) => compare(right.date, left.date))
  return (channel, upstreamModel) => {
    const declared = registry.find(channel.provider)?.prices
    if (declared?.isFree === true || declared?.freeModels?.test(upstreamModel) === true)
      return { prices: free, limits: {} }
    const names = declared?.namesOf?.(upstreamModel, channel) ?? [upstreamModel]
    const found = names.flatMap((name) =>
      newestFirst.flatMap((table) => table.find(channel.provider, name) ?? []),
    )
    const computed = {
      region: declared?.regionOf?.(channel),
      isNamed: declared?.namesRegion ?? false,
      cachesMarkedOnly: declared?.cachesMarkedOnly?.(upstreamModel) ?? false,
      minSeconds: declared?.minSeconds,
    }
    const prices = found
      .map((model) => readTablePrices(model, computed))
      .find((history) => history !== undefined)
    return { ...(prices !== undefined && { prices }), limits: findLimits(found) }
  }
}

function findLimits(found: readonly TableModel[]): ModelLimits {
  const input = found.find(({ maxInputTokens }) => maxInputTokens !== undefined)?.maxInputTokens
  const output = found.find(({ maxOutputTokens }) => maxOutputTokens !== undefined)?.maxOutputTokens
  return {
    ...(input !== undefined && { maxInputTokens: input }),
    ...(output !== undefined && { maxOutputTokens: output }),
  }
}

function compare(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}
