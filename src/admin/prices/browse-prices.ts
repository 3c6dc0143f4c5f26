import type { CatalogSource, Target } from '../../catalog/catalog.ts'
import { priceAt } from '../../catalog/prices/price-history.ts'
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

export function createPriceRoutes(prices: PriceOperations): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/admin/v1/prices',
      policy: 'admin',
      summary: 'Show what each target costs, and which price says so',
      query: listPricesSchema,
      answer: { status: 200, schema: priceListSchema },
      errors: ['invalid_field'],
      handler: async ({ query }) => ({ status: 200, body: { ...(await prices.list(query)) } }),
    },
  ]
}
