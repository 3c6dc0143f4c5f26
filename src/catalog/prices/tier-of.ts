import type { ServedTier } from '../../canonical/served-tier.ts'
import type { Usage } from '../../canonical/usage.ts'
import { type PriceTier, priceTiers } from './price.ts'

/**
 * The tier that an answer is billed at: the one it names; the usual one where it names none or one that we do not know.
 */
export function tierOf(served: ServedTier | undefined): PriceTier {
  const word = typeof served === 'object' ? served.word : served
  for (const tier of priceTiers) if (tier === word) return tier
  return 'standard'
}

/** The same of an answer with its usage, which may name a speed that is billed instead. */
export function billedTier(usage: Usage | undefined, served: ServedTier | undefined): PriceTier {
  return usage?.speed ?? tierOf(served)
}
