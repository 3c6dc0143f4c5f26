import type { CatalogSource, Target } from '../../catalog/catalog.ts'
import { createCatalog } from '../../catalog/create-catalog.ts'
import { priceAt } from '../../catalog/prices/price-history.ts'
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { AdminRoute } from '../admin-route.ts'
import { readInput } from '../read-input.ts'
import {
  listPricesSchema,
  type PriceOperations,
  priceListSchema,
  type TargetPriceView,
} from './price-contract.ts'
import { viewPrice } from './view-price.ts'

export function createPriceOperations(catalog: CatalogSource, clock: Pick<Clock, 'nowMs'>): PriceOperations {
  return {
    async list(input) {
      const { model, at } = readInput(listPricesSchema, input)
      const { models, findRoute } = catalog.current()
      const atMs = at === undefined ? clock.nowMs() : Date.parse(at)
      const names = model === undefined ? models.map(({ name }) => name) : [model]
      const data = names.flatMap((name) =>
        (findRoute(name)?.targets ?? []).map((target) => viewTarget(name, target, atMs)),
      )
      return { data }
    },
  }
}

function viewTarget(
  model: string,
  { channel, upstreamModel, prices, limits }: Target,
  atMs: number,
): TargetPriceView {
  const inForce = prices === undefined ? undefined : priceAt(prices, atMs)
  return {
    model,
    channel: channel.name,
    upstream_model: upstreamModel,
    in_force: inForce === undefined ? null : viewPrice(inForce),
    others: (prices ?? []).filter((version) => version !== inForce).map(viewPrice),
    max_input_tokens: limits?.maxInputTokens ?? null,
    max_output_tokens: limits?.maxOutputTokens ?? null,
  }
}

export interface ConfigPrices {
  readonly operations: PriceOperations
  /** Channels that serve the models that their upstreams list, which are not known here. */
  readonly unlisted: readonly string[]
}

/** The prices of a configuration that no running server uses. */
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

export function createPriceRoutes(prices: PriceOperations): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/admin/v1/prices',
      policy: { access: 'read', scope: 'prices:read' },
      summary: 'Show what each target costs, and which price says so',
      query: listPricesSchema,
      answer: { status: 200, schema: priceListSchema },
      errors: ['invalid_field'],
      handler: async ({ query }) => ({ status: 200, body: { ...(await prices.list(query)) } }),
    },
  ]
}
