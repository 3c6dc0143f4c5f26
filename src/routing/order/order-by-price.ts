import type { Target } from '../../catalog/catalog.ts'
import { findHome } from './affinity.ts'
import { type OrderTargets, sortByCost } from './order-facts.ts'

/** Tokens of input for one of output, by which one price is made of two. */
const INPUT_SHARE = 3

/**
 * `cheapest`: the lowest price first, those without a price last. At a conversation's own target the input counts as
 * cached, since that is what going elsewhere would lose.
 */
export const orderByPrice: OrderTargets = (targets, facts) => {
  const home = findHome(facts.session, targets)
  return sortByCost(targets, facts, (target) => blend(target, target === home))
}

function blend({ price }: Target, isWarm: boolean): number {
  if (price === undefined) return Number.POSITIVE_INFINITY
  const input = isWarm ? (price.cachedInput ?? price.input) : price.input
  return input * INPUT_SHARE + price.output
}
