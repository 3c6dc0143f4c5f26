export type LimitKind = 'requests' | 'tokens' | 'input-tokens' | 'output-tokens'

/** The state of one of our rate limits. */
export interface LimitStatus {
  readonly kind: LimitKind
  readonly limit: number
  /** The amount that remains; below zero where usage was higher than estimated. */
  readonly remaining: number
  /** The time until the whole limit is available again. */
  readonly resetMs: number
}

/** The limit of these kinds with the lowest remaining amount. Among equal amounts, the one that resets later. */
export function lowestRemainingOf(
  limits: readonly LimitStatus[],
  kinds: readonly LimitKind[],
): LimitStatus | undefined {
  let lowest: LimitStatus | undefined
  for (const limit of limits) {
    if (kinds.includes(limit.kind) && (lowest === undefined || leavesLess(limit, lowest))) lowest = limit
  }
  return lowest
}

function leavesLess(one: LimitStatus, other: LimitStatus): boolean {
  return one.remaining === other.remaining ? one.resetMs > other.resetMs : one.remaining < other.remaining
}
