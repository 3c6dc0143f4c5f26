import type { LeaseAsk } from './meter-store.ts'

export interface GrantInput extends Pick<LeaseAsk, 'ceiling' | 'needed' | 'minimum' | 'ahead'> {
  /** The amount that is spent and granted, of all windows that limit. */
  readonly used: number
  /** The processes that share the budget. */
  readonly nodes: number
}

/** While fewer holds than this fit into what is left, a grant is exactly one hold. */
const HOLDS_BEFORE_SINGLE = 32
/** A process gets at most the fourth part of its even share ahead of use. */
const SHARES_AHEAD = 4

/** The amount to grant: never more than is left; 0 where that is less than the useful minimum. */
export function planGrant({ ceiling, used, needed, minimum, ahead, nodes }: GrantInput): number {
  const left = ceiling - used
  if (needed <= left) {
    const rest = left - needed
    if (rest < HOLDS_BEFORE_SINGLE * needed) return needed
    return needed + Math.floor(Math.min(Math.max(0, ahead), rest / (SHARES_AHEAD * Math.max(1, nodes))))
  }
  if (minimum > left || left <= 0) return 0
  // Half of what is left: the other half is for those who come meanwhile.
  return Math.max(minimum, Math.floor(left / 2))
}
