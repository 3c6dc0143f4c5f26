import { createCatalog } from '../../catalog/create-catalog.ts'
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../kit/time/clock.ts'
import { createPriceOperations } from './browse-prices.ts'
import type { PriceOperations } from './price-contract.ts'

export interface ConfigPrices {
  readonly operations: PriceOperations
  /** Channels that serve what their upstreams list, which is not known here. */
  readonly unlisted: readonly string[]
}

/** The prices of a configuration that no server serves. */
export function readConfigPrices(
  { channels, models, findKnownModel }: Pick<Config, 'channels' | 'models' | 'findKnownModel'>,
  clock: Pick<Clock, 'nowMs'>,
): ConfigPrices {
  const catalog = createCatalog({
    channels,
    entries: models,
    lists: new Map(),
    createdAtSeconds: 0,
    findKnownModel,
  })
  return { operations: createPriceOperations({ current: () => catalog }, clock), unlisted: catalog.unlisted }
}
