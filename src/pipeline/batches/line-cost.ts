import type { ServedTier } from '../../canonical/served-tier.ts'
import type { Target } from '../../catalog/catalog.ts'
import type { PriceVersion } from '../../catalog/prices/price.ts'
import { costOfCount } from '../../catalog/prices/sum-cost.ts'
import type { Exchange } from '../exchange/exchange.ts'
import { findWorstCase } from '../spending/find-worst-case.ts'
import type { ObjectCall } from './object-input.ts'

/**
 * The tier of batches, which have their own rates (https://platform.openai.com/docs/guides/batch, seen 2026-11-24;
 * https://platform.claude.com/docs/en/about-claude/pricing, seen 2026-11-25).
 */
export const batchTier: ServedTier = { format: 'messages', word: 'batch' }

export interface PricedLine {
  readonly exchange: Exchange
  readonly target: Target
  readonly price: PriceVersion
}

/** The maximum cost of one request of a batch, in nano-dollars. */
export function costOfLine(
  { exchange, target, price }: PricedLine,
  { request, spending }: Pick<ObjectCall, 'request' | 'spending'>,
): number {
  const { caller } = request
  const { publicName } = exchange.route
  const channel = target.channel.name
  const budgets = spending.findBudgets({ caller, tags: caller.tags, model: publicName, channel })
  const { multiplierPpm } = caller
  const batches = { price: ofBatches(price), serviceTiers: [batchTier] }
  const worst = findWorstCase({ exchange, target, ...batches, budgets, multiplierPpm })
  return worst.fixed + costOfCount(worst.maxOutputTokens ?? 0, worst.outputRate)
}

/** The price with only the rates of batches, where it has them, since a batch is billed at no other rates. */
function ofBatches(price: PriceVersion): PriceVersion {
  const [first, ...others] = price.sheets.filter(({ tier }) => tier === 'batch')
  return first === undefined ? price : { ...price, sheets: [first, ...others] }
}
