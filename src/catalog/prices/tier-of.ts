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

const onlyStandard: readonly PriceTier[] = ['standard']

/** The tiers at which an answer is billed that may be served at each of these tiers. */
export function billedTiers(served: readonly ServedTier[]): readonly PriceTier[] {
  // Nearly every request names no tier.
  const [first] = served
  return served.length === 1 && (first === 'auto' || first === 'standard') ? onlyStandard : served.map(tierOf)
}

/** The tier of an answer with its usage, which may report a speed that is billed instead of the tier. */
export function billedTier(usage: Usage | undefined, served: ServedTier | undefined): PriceTier {
  return usage?.speed ?? tierOf(served)
}
