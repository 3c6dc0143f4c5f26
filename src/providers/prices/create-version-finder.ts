import type { Channel } from '../../catalog/channel.ts'
import type { ModelEntry } from '../../catalog/model-entry.ts'
import type { FindPriceVersion } from '../../catalog/prices/find-price.ts'
import type { PriceVersion, PriceVersionId } from '../../catalog/prices/price.ts'
import type { PriceIndex } from '../../catalog/prices/price-index.ts'
import { readTablePrices } from '../../catalog/prices/read-table-prices.ts'
import type { ProviderRegistry } from '../provider.ts'

export interface PriceSources {
  readonly tables: readonly PriceIndex[]
  readonly models: readonly ModelEntry[]
  readonly channels: readonly Channel[]
}

/** Finds the price that a ledger row names, to settle rows that were left unsettled. */
export function createVersionFinder(
  registry: ProviderRegistry,
  { tables, models, channels }: PriceSources,
): FindPriceVersion {
  const histories = [
    ...models.flatMap(({ prices }) => prices ?? []),
    ...channels.flatMap(({ prices }) => [...(prices?.values() ?? [])].flat()),
  ]
  const overrides = new Map(histories.map((version) => [version.id, version]))
  return (id) => overrides.get(id) ?? findInTables(id, tables, registry)
}

/** The ID of a table price, such as `openai/gpt-4o@2026-11-23+eu`. */
const tableId = /^([^/]+)\/(.+)@(\d{4}-\d{2}-\d{2})(?:\+(\w+))?$/

function findInTables(
  id: PriceVersionId,
  tables: readonly PriceIndex[],
  registry: ProviderRegistry,
): PriceVersion | undefined {
  const [, provider = '', name = '', , region] = tableId.exec(id) ?? []
  const declared = registry.find(provider)?.prices
  const isNamed = declared?.namesRegion ?? false
  const cachesMarkedOnly = declared?.cachesMarkedOnly?.(name) ?? false
  const minSeconds = declared?.minSeconds
  for (const table of tables) {
    const model = table.find(provider, name)
    const prices = model && readTablePrices(model, { region, isNamed, cachesMarkedOnly, minSeconds })
    const found = prices?.find((version) => version.id === id)
    if (found !== undefined) return found
  }
  return undefined
}
