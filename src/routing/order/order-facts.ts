import { type Target, weightOf } from '../../catalog/catalog.ts'
import type { Hash } from '../../kit/bytes/hash.ts'
import type { Random } from '../../kit/random/random.ts'
import { drawByWeight, drawForSession } from './affinity.ts'

export interface OrderFacts {
  readonly random: Random
  /** The time by the wall clock, since prices depend on dates and hours. */
  readonly atMs: number
  /** Undefined where the conversation is unknown. */
  readonly session: Hash | undefined
  /** The recent latency for the kind of answer that is requested; undefined without a measurement. */
  readonly latencyOf: (target: Target) => number | undefined
  /** The number of calls in progress. */
  readonly inFlightOf: (target: Target) => number
}

/** Orders the targets of one priority. The function is pure, except for the random source in `facts`. */
export type OrderTargets = (targets: readonly Target[], facts: OrderFacts) => readonly Target[]

/** The advantage of a target whose provider has the conversation's prompt in its cache. */
export const AFFINITY_DISCOUNT = 0.3

/** Draws by weight: the same for each request of a conversation, otherwise at random. The lowest comes first. */
function drawOf(target: Target, { session, random }: OrderFacts): number {
  return session === undefined
    ? drawByWeight(1 - random.fraction(), weightOf(target))
    : drawForSession(session, target)
}

/** Sorts by cost, lowest first. Ties are decided by weight. */
export function sortByCost(
  targets: readonly Target[],
  facts: OrderFacts,
  costOf: (target: Target) => number,
): readonly Target[] {
  const ranked: Ranked[] = []
  for (const target of targets) ranked.push({ target, cost: costOf(target), draw: drawOf(target, facts) })
  sortRanks(ranked)
  return ranked.map(targetOf)
}

/** The maximum number of targets for insertion sort. Most models have fewer targets. */
const MAX_INSERTION_SORTED = 16

/** Sorts in place, by insertion up to `MAX_INSERTION_SORTED` targets. Ties stay in their order. */
function sortRanks(ranked: Ranked[]): void {
  if (ranked.length > MAX_INSERTION_SORTED) {
    ranked.sort(compareRanks)
    return
  }
  for (let next = 1; next < ranked.length; next += 1) {
    const one = ranked[next]
    let at = next
    for (; at > 0; at -= 1) {
      const before = ranked[at - 1]
      if (one === undefined || before === undefined || compareRanks(before, one) <= 0) break
      ranked[at] = before
    }
    if (one !== undefined) ranked[at] = one
  }
}

interface Ranked {
  readonly target: Target
  readonly cost: number
  readonly draw: number
}

function compareRanks(left: Ranked, right: Ranked): number {
  return compare(left.cost, right.cost) || compare(left.draw, right.draw)
}

function targetOf({ target }: Ranked): Target {
  return target
}

/** Compares two costs. They may be infinite, so that their difference is not a number. */
function compare(left: number, right: number): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}
