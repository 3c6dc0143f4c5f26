import { type Target, weightOf } from '../../catalog/catalog.ts'
import { rateOf } from '../../catalog/prices/cost-of.ts'
import { findSheet } from '../../catalog/prices/find-sheet.ts'
import { priceAt } from '../../catalog/prices/price-history.ts'
import type { Strategy } from '../../catalog/strategy.ts'
import { findAffinityTarget } from './affinity.ts'
import { AFFINITY_DISCOUNT, type OrderTargets, sortByCost } from './order-facts.ts'

/** One request in fifty goes by weight alone, so that what became fast is found. */
const EXPLORED_SHARE = 0.02
/** Latencies that differ by less than this count as equal: chance decides among them. */
const LATENCY_JITTER = 0.1

/**
 * `least-latency`: what lately answered soonest. What was never measured, or not for long, goes first as long as
 * nothing is under way there, and last while its first answer is awaited.
 */
const orderByLatency: OrderTargets = (targets, facts) => {
  if (facts.random.fraction() < EXPLORED_SHARE) return sortByCost(targets, facts, () => 0)
  const preferred = findAffinityTarget(facts.session, targets)
  return sortByCost(targets, facts, (target) => {
    const latencyMs = facts.latencyOf(target)
    if (latencyMs === undefined) return facts.inFlightOf(target) === 0 ? 0 : Number.MAX_VALUE
    const jitteredMs = latencyMs * (1 + LATENCY_JITTER * facts.random.fraction())
    return target === preferred ? jitteredMs * (1 - AFFINITY_DISCOUNT) : jitteredMs
  })
}

/** `least-busy`: where one more call makes the least load for the weight. */
const orderByLoad: OrderTargets = (targets, facts) => {
  const preferred = findAffinityTarget(facts.session, targets)
  return sortByCost(targets, facts, (target) => {
    const load = (facts.inFlightOf(target) + 1) / weightOf(target)
    return target === preferred ? load * (1 - AFFINITY_DISCOUNT) : load
  })
}

/** Tokens of input for one of output, by which one price is made of two. */
const INPUT_SHARE = 3

/**
 * `cheapest`: the lowest price first, those without a price last. At a conversation's own target the input counts as
 * cached, since that is what going elsewhere would lose.
 */
const orderByPrice: OrderTargets = (targets, facts) => {
  const preferred = findAffinityTarget(facts.session, targets)
  return sortByCost(targets, facts, (target) => blend(target, target === preferred, facts.atMs))
}

function blend({ prices }: Target, isPromptCached: boolean, atMs: number): number {
  const version = prices === undefined ? undefined : priceAt(prices, atMs)
  if (version === undefined) return Number.POSITIVE_INFINITY
  const { rates } = findSheet(version, { tier: 'standard', inputTokens: 0, atMs })
  const input = rateOf(rates, isPromptCached ? 'cacheRead' : 'input')
  return input * INPUT_SHARE + rates.output
}

/** `priority-weighted`: by weight, a conversation always the same way, whatever belongs to none by chance. */
const orderByWeight: OrderTargets = (targets, facts) => sortByCost(targets, facts, () => 0)

export const orderTargets: Readonly<Record<Strategy, OrderTargets>> = {
  'priority-weighted': orderByWeight,
  'least-latency': orderByLatency,
  'least-busy': orderByLoad,
  cheapest: orderByPrice,
}

/** The targets by their channels' priority, the higher first. */
export function tiersOf(targets: readonly Target[]): readonly (readonly Target[])[] {
  if (isOneTier(targets)) return [targets]
  const tiers = Map.groupBy(targets, ({ channel }) => channel.priority)
  return [...tiers].sort(([left], [right]) => right - left).map(([, tier]) => tier)
}

function isOneTier(targets: readonly Target[]): boolean {
  const first = targets[0]?.channel.priority
  for (const { channel } of targets) {
    if (channel.priority !== first) return false
  }
  return true
}
