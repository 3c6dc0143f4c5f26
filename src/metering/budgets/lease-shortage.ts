import type { CounterKey } from '../ledger-row.ts'
import type { BudgetCounter } from './budget-counter.ts'
import type { CounterAtMoment } from './counter-at-moment.ts'
import type { Shortage } from './plan-hold.ts'
import type { WindowSum } from './window-sum.ts'

/** The amount that a request needs from a budget and that this process was not granted. */
export interface LeaseShortage {
  readonly counter: BudgetCounter
  readonly sum: WindowSum
  readonly window: CounterKey
  readonly isRolling: boolean
  /** The maximum that may be spent in all open windows together. */
  readonly ceiling: number
  readonly needed: number
  readonly minimum: number
}

export function describeShortage({ state, needed, minimum }: Shortage<CounterAtMoment>): LeaseShortage {
  const { counter, sum, budget, limit = 0 } = state
  return {
    counter,
    sum,
    needed,
    minimum,
    window: counter.keyOf(sum),
    isRolling: budget.window.type === 'rolling',
    ceiling: limit + counter.resetAmount,
  }
}
