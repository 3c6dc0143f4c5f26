import type { LeaseAsk } from './meter-store.ts'

export interface GrantInput extends Pick<LeaseAsk, 'ceiling' | 'needed' | 'minimum' | 'ahead'> {
  /** The amount spent and granted in all windows that limit. */
  readonly used: number
  /** The number of processes that share the budget. */
  readonly nodes: number
}

/** While fewer holds than this fit into the remaining amount, a grant is exactly one hold. */
const HOLDS_BEFORE_SINGLE = 32
/** A process gets at most a quarter of its even share in advance. */
const SHARES_AHEAD = 4

/** The amount to grant, never more than remains. It is 0 where less than the useful minimum remains. */
export function planGrant({ ceiling, used, needed, minimum, ahead, nodes }: GrantInput): number {
  const left = ceiling - used
  if (needed <= left) {
    const rest = left - needed
    if (rest < HOLDS_BEFORE_SINGLE * needed) return needed
    return needed + Math.floor(Math.min(Math.max(0, ahead), rest / (SHARES_AHEAD * Math.max(1, nodes))))
  }
  if (minimum > left || left <= 0) return 0
  // The other half is reserved for requests that arrive in the meantime.
  return Math.max(minimum, Math.floor(left / 2))
}
