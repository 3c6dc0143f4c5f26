import type { BudgetWindow } from '../../access/limits/budget-terms.ts'
import type { Budget } from '../budget.ts'
import { isCredit } from '../credits/credit-budget.ts'
import { findPartStart } from '../credits/credits.ts'
import type { BudgetCounter } from './budget-counter.ts'
import type { BudgetState } from './plan-hold.ts'
import type { PartWindow, WindowSum } from './window-sum.ts'

interface CounterAtMomentOptions {
  readonly budget: Budget
  readonly counter: BudgetCounter
  /** The window in which holds are placed. */
  readonly sum: WindowSum
  readonly limit: number | undefined
}

/**
 * A view of a counter that is valid until the counter changes. It reads the sums from the counter instead of copying
 * them, since each request creates several views.
 */
export class CounterAtMoment implements CounterAtMomentOptions, BudgetState {
  readonly budget: Budget
  readonly counter: BudgetCounter
  readonly sum: WindowSum
  readonly limit: number | undefined

  constructor({ budget, counter, sum, limit }: CounterAtMomentOptions) {
    this.budget = budget
    this.counter = counter
    this.sum = sum
    this.limit = limit
  }

  get spent(): number {
    return this.counter.spent
  }

  get held(): number {
    return this.counter.held
  }

  get holds(): number {
    return this.counter.holds
  }

  get available(): number {
    const { granted, own, held } = this.sum
    return granted - own - held
  }
}

export function windowOf(budget: Budget, nowMs: number): BudgetWindow | PartWindow {
  return isCredit(budget) ? { type: 'part', startMs: findPartStart(budget.grants, nowMs) } : budget.window
}

export function startOf({ window }: Budget, { startMs }: WindowSum, nowMs: number): number {
  return window.type === 'rolling' ? nowMs - window.lengthMs : startMs
}

/** A share is reported once in a window. In a rolling window, it is reported once in the length of the window. */
export function warnedUntil({ window }: Budget, { endMs }: WindowSum, nowMs: number): number {
  return window.type === 'rolling' ? nowMs + window.lengthMs : endMs
}

export function finite(endMs: number): number | undefined {
  return endMs === Number.POSITIVE_INFINITY ? undefined : endMs
}
