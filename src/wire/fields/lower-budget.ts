/** The least that models take which have a least: Claude's 1,024 is the greatest of them. */
const LEAST_BUDGET = 1024

/** What of a cap is for thinking, where the request does not say how much of it was; the rest is for the answer itself. */
const USUAL_SHARE = 0.8

/** Output caps before and after one was lowered. */
export interface LoweredCap {
  /** Undefined where there was none. */
  readonly from: number | undefined
  readonly to: number
}

/** The thinking budget that goes with a lower output cap: as large a part of it as before. */
export function lowerBudget(budget: number, { from, to }: LoweredCap): number {
  const share = from === undefined ? USUAL_SHARE : budget / from
  return Math.min(budget, Math.max(LEAST_BUDGET, Math.floor(to * share)))
}
