import { findHome } from './affinity.ts'
import { type OrderTargets, sortByCost, WARM_DISCOUNT } from './order-facts.ts'

/** One request in fifty goes by weight alone, so that what became fast is found. */
const EXPLORED_SHARE = 0.02
/** Differences below this are noise: the first of equals changes. */
const NOISE = 0.1

/**
 * `least-latency`: what lately answered soonest. What was never measured, or not for long, goes first as long as
 * nothing is under way there, and last while its first answer is awaited.
 */
export const orderByLatency: OrderTargets = (targets, facts) => {
  if (facts.random.fraction() < EXPLORED_SHARE) return sortByCost(targets, facts, () => 0)
  const home = findHome(facts.session, targets)
  return sortByCost(targets, facts, (target) => {
    const latencyMs = facts.latencyOf(target)
    if (latencyMs === undefined) return facts.inFlightOf(target) === 0 ? 0 : Number.MAX_VALUE
    const noisyMs = latencyMs * (1 + NOISE * facts.random.fraction())
    return target === home ? noisyMs * (1 - WARM_DISCOUNT) : noisyMs
  })
}
