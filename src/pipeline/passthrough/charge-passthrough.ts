import type { Failure } from '../../canonical/failure.ts'
import type { NanoDollars } from '../../canonical/money.ts'
import { noUsage } from '../../canonical/usage.ts'
import type { Target } from '../../catalog/catalog.ts'
import { FLAT_CALL, type PassthroughPrice } from '../../catalog/passthrough.ts'
import { priceOfTool } from '../../catalog/prices/cost-of.ts'
import { type PriceVersion, priceTiers } from '../../catalog/prices/price.ts'
import { priceAt } from '../../catalog/prices/price-history.ts'
import { costOfCount } from '../../catalog/prices/sum-cost.ts'
import { worstRates } from '../../catalog/prices/worst-rates.ts'
import { brand } from '../../kit/brand.ts'
import type { PassthroughRequest } from '../exchange/caller-request.ts'
import type { AttemptCharge } from '../spending/attempt-charge.ts'
import {
  type DurableChargeDependencies,
  fixedCost,
  openDurableCharge,
} from '../spending/open-durable-charge.ts'
import type { PassthroughTarget } from './find-passthrough-target.ts'
import type { PassthroughEnd } from './passthrough-call.ts'
import type { StatedUsage } from './usage-sniffer.ts'

/** The limits that are assumed for a model without known limits, as elsewhere. */
const MAX_INPUT_TOKENS = 1_000_000
const MAX_OUTPUT_TOKENS = 131_072

/**
 * Holds the price of a call. This is the flat price or, where the answer's usage decides, the price of the model's
 * whole context window and output, since a foreign path limits neither.
 */
export function holdPassthrough(
  { caller, requestId }: PassthroughRequest,
  { target, publicName }: PassthroughTarget,
  price: PassthroughPrice,
  dependencies: DurableChargeDependencies,
): Promise<AttemptCharge | Failure> {
  return openDurableCharge(
    {
      caller,
      requestId,
      tags: caller.tags,
      model: publicName,
      channel: target.channel.name,
      upstreamModel: target.upstreamModel,
      price: versionOf(price, target, dependencies.clock.nowMs()),
      unpriced: 'passthrough_unpriced',
      worst: (version) => fixedCost(worstOf(price, target, version), caller.multiplierPpm),
      chargesUnseen: price.type === 'usage',
    },
    dependencies,
  )
}

function versionOf(price: PassthroughPrice, target: Target, nowMs: number): PriceVersion | undefined {
  switch (price.type) {
    case 'unknown':
      return undefined
    case 'flat':
      return price.version
    case 'usage':
      return target.prices && priceAt(target.prices, nowMs)
  }
}

function worstOf({ type }: PassthroughPrice, target: Target, version: PriceVersion): NanoDollars {
  if (type === 'flat') return costOfCount(1, priceOfTool(version, FLAT_CALL))
  const { capabilities, limits } = target
  const inputTokens = capabilities.contextWindowTokens ?? limits?.maxInputTokens ?? MAX_INPUT_TOKENS
  const outputTokens = capabilities.maxOutputTokens ?? limits?.maxOutputTokens ?? MAX_OUTPUT_TOKENS
  const rates = worstRates(version, { tiers: priceTiers, inputTokens })
  return brand<NanoDollars>(costOfCount(inputTokens, rates.input) + costOfCount(outputTokens, rates.output))
}

const flatUsage = { ...noUsage, toolCalls: { [FLAT_CALL]: 1 } }

/**
 * Ends the hold with the actual cost of the call. Only calls that the provider accepted are charged, and those that it
 * may have accepted although their caller did not wait for that.
 */
export function settlePassthrough(
  charge: AttemptCharge,
  price: PassthroughPrice,
  end: PassthroughEnd & { readonly stated: StatedUsage | undefined },
) {
  const { outcome, status, isSent, stated } = end
  const isAccepted = status !== undefined && status >= 200 && status < 300
  const mayBeAccepted = status === undefined && isSent && outcome.type === 'caller-gone'
  if (!isAccepted && !mayBeAccepted)
    return charge.settle({ usage: undefined, servedTier: undefined, ending: 'failed' })
  const fixed = price.type === 'flat' ? flatUsage : noUsage
  const known = mayBeAccepted ? { ...fixed, isEstimated: true } : fixed
  const usage = price.type === 'usage' ? stated?.usage : known
  const ending = outcome.type === 'passed' ? 'whole' : outcome.type === 'caller-gone' ? outcome.type : 'cut'
  return charge.settle({ usage, servedTier: stated?.servedTier, ending })
}

/** The cost if it is known before the first byte of an answer; otherwise undefined. */
export function flatCostOf(charge: AttemptCharge, { type }: PassthroughPrice): NanoDollars | undefined {
  return type === 'flat' ? charge.costOf(flatUsage, undefined) : undefined
}
