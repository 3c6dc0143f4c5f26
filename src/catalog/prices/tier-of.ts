import type { ServedTier } from '../../canonical/served-tier.ts'
import type { Usage } from '../../canonical/usage.ts'
import { type PriceTier, priceTiers } from './price.ts'

/**
 * The tier at which an answer is billed: the tier that it names, or the default tier where it names none or an unknown
 * one.
 */
export function tierOf(served: ServedTier | undefined): PriceTier {
  const word = typeof served === 'object' ? served.word : served
  for (const tier of priceTiers) if (tier === word) return tier
  return 'standard'
}

/** The tier of an answer with its usage, which may report a speed that is billed instead of the tier. */
export function billedTier(usage: Usage | undefined, served: ServedTier | undefined): PriceTier {
  return usage?.speed ?? tierOf(served)
}
