import type { EstimatedCharge } from '../../canonical/estimated-charge.ts'
import { addAmounts, multiplyPpm, type NanoDollars } from '../../canonical/money.ts'
import type { ServedTier } from '../../canonical/served-tier.ts'
import { subtractUsage, type Usage } from '../../canonical/usage.ts'
import { costOf } from '../../catalog/prices/cost-of.ts'
import type { PriceVersion } from '../../catalog/prices/price.ts'
import { billedTier } from '../../catalog/prices/tier-of.ts'
import { brand } from '../../kit/brand.ts'
import type { LedgerRowId } from '../../kit/random/ids.ts'
import type { CountedAmount, LedgerRow } from '../ledger-row.ts'

/** The usage that the provider reports after an answer has ended. */
export interface KnownUsage {
  readonly usage: Usage
  /** The usages that add up to `usage`, if each of them is billed separately. */
  readonly parts?: readonly Usage[] | undefined
  readonly servedTier: ServedTier | undefined
}

export interface CorrectionTerms extends KnownUsage {
  readonly id: LedgerRowId
  readonly charge: EstimatedCharge
  /** The price version of the estimate; undefined if the estimate has none. */
  readonly price: PriceVersion | undefined
}

const nothing = brand<NanoDollars>(0)

/**
 * Creates the row that corrects an estimate. The attempt no longer holds an amount, and other requests may have spent
 * the rest of its hold. Therefore an exact budget never counts more than before. Only the cost shows the provider's
 * additional price.
 */
export function correctRow(estimate: LedgerRow, terms: CorrectionTerms): LedgerRow {
  const { id, charge, price, usage, parts = [usage], servedTier } = terms
  const tier = billedTier(usage, servedTier)
  let cost = nothing
  for (const part of price === undefined ? [] : parts) {
    const served = { tier, atMs: estimate.endedAtMs, region: part.region }
    cost = addAmounts(cost, price === undefined ? nothing : costOf(part, price, served))
  }
  const uncapped = multiplyPpm(cost, charge.multiplierPpm)
  const isHeld = charge.budgets.some(({ isExact, counts }) => isExact && counts === 'charged')
  const charged = isHeld ? brand<NanoDollars>(Math.min(uncapped, estimate.charged)) : uncapped
  return {
    ...estimate,
    id,
    tier,
    state: 'settled',
    usage: subtractUsage(usage, estimate.usage),
    cost: difference(cost, estimate.cost),
    charged: difference(charged, estimate.charged),
    counted: correctCounted(estimate.counted, charge, { cost, charged }),
    flags: { corrects: estimate.id, ...(price === undefined && { unpriced: true }) },
  }
}

function correctCounted(
  counted: readonly CountedAmount[],
  { budgets }: EstimatedCharge,
  actual: Readonly<Record<'cost' | 'charged', NanoDollars>>,
): readonly CountedAmount[] {
  return counted.flatMap((each) => {
    const budget = budgets.find(({ counter }) => counter === each.counter)
    if (budget === undefined) return []
    const amount = actual[budget.counts]
    const corrected = budget.isExact ? Math.min(amount, each.amount) : amount
    return corrected === each.amount ? [] : [{ ...each, amount: difference(corrected, each.amount) }]
  })
}

function difference(actual: number, estimated: number): NanoDollars {
  return brand<NanoDollars>(actual - estimated)
}
