import type { ServedTier } from '../../canonical/served-tier.ts'
import { type PriceTier, priceTiers } from './price.ts'

/** The tier that an answer is billed at: the one it names; the usual one where it names none or one that we do not know. */
export function tierOf(served: ServedTier | undefined): PriceTier {
  const word = typeof served === 'object' ? served.word : served
  return priceTiers.find((tier) => tier === word) ?? 'standard'
}
