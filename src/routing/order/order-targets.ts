import { type Target, weightOf } from '../../catalog/catalog.ts'
import { rateOf } from '../../catalog/prices/cost-of.ts'
import { findSheet } from '../../catalog/prices/find-sheet.ts'
import { priceAt } from '../../catalog/prices/price-history.ts'
import type { Strategy } from '../../catalog/strategy.ts'
import { findAffinityTarget } from './affinity.ts'
import { AFFINITY_DISCOUNT, type OrderTargets, sortByCost } from './order-facts.ts'

/** The share of requests that are ordered only by weight, so that targets that became fast are found. */
const EXPLORED_SHARE = 0.02
/** The share within which latencies are treated as equal. Chance decides between them. */
const LATENCY_JITTER = 0.1

/**
 * The order of `least-latency`: the target that answered soonest in recent calls comes first. A target without a recent
 * measurement comes first while it has no call in progress, and last while its first answer is pending.
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

/**
 * The order of `least-busy`: the target where one more call makes the lowest load, relative to the weight, comes first.
 */
const orderByLoad: OrderTargets = (targets, facts) => {
  const preferred = findAffinityTarget(facts.session, targets)
  return sortByCost(targets, facts, (target) => {
    const load = (facts.inFlightOf(target) + 1) / weightOf(target)
    return target === preferred ? load * (1 - AFFINITY_DISCOUNT) : load
  })
}

/** The number of input tokens for each output token. It combines two prices into one. */
const INPUT_SHARE = 3

/**
 * The order of `cheapest`: the lowest price comes first, and targets without a price come last. At the conversation's
 * own target the input has the price of cached input, since another target would lose this advantage.
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

/**
 * The order of `priority-weighted`: by weight, always the same for one conversation, and random for requests without
 * one.
 */
const orderByWeight: OrderTargets = (targets, facts) => sortByCost(targets, facts, () => 0)

export const orderTargets: Readonly<Record<Strategy, OrderTargets>> = {
  'priority-weighted': orderByWeight,
  'least-latency': orderByLatency,
  'least-busy': orderByLoad,
  cheapest: orderByPrice,
}

/** Groups the targets by their channels' priority, highest first. */
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
