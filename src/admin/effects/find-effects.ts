import { compareAccess } from './compare-access.ts'
import { compareLimits } from './compare-limits.ts'
import { compareObjects } from './compare-objects.ts'
import { comparePrices } from './compare-prices.ts'
import { compareRoutes } from './compare-routes.ts'
import type { Comparison } from './comparison.ts'
import { describeEffect } from './describe-effect.ts'
import type { Effect, Effects } from './effect-contract.ts'

const MAX_EFFECTS = 200
const ranks: Readonly<Record<Effect['severity'], number>> = { breaks: 0, changes: 1, adds: 2 }

/** The effects of a change on people, in words. Breaking effects come first. */
export function findEffects(comparison: Comparison): Effects {
  const found = [
    ...compareAccess(comparison),
    ...compareRoutes(comparison),
    ...compareLimits(comparison),
    ...compareObjects(comparison),
    ...comparePrices(comparison),
  ].sort((one, other) => ranks[one.severity] - ranks[other.severity])
  const shown = found.slice(0, MAX_EFFECTS).map(describeEffect)
  return { effects: shown, more_effects: found.length - shown.length }
}
