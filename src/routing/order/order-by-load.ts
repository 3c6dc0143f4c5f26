import { findHome } from './affinity.ts'
import { type OrderTargets, sortByCost, WARM_DISCOUNT } from './order-facts.ts'

/** `least-busy`: where one more call makes the least load for the weight. */
export const orderByLoad: OrderTargets = (targets, facts) => {
  const home = findHome(facts.session, targets)
  return sortByCost(targets, facts, (target) => {
    const load = (facts.inFlightOf(target) + 1) / target.channel.weight
    return target === home ? load * (1 - WARM_DISCOUNT) : load
  })
}
