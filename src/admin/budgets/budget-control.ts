import type { Budget } from '../../metering/budget.ts'
import type { BudgetStatus, RaisedLimit } from '../../metering/budgets/budget-meter.ts'
import type { ResettableWindow } from '../../metering/budgets/window-sum.ts'
import type { BudgetChange } from '../../metering/credit-store.ts'
import type { AppliedBudget } from '../../metering/meter.ts'

/** The state of budgets in this process, and the changes to them. */
export interface BudgetControl {
  /** All budgets except credits: those of the configuration and of keys. */
  budgets(): readonly Budget[]
  /** Reads the amounts that other processes have spent, so that `status` includes them. Never rejects. */
  learnOthers(applied: readonly AppliedBudget[]): Promise<void>
  /**
   * Reads the amounts that other processes have spent from the values of a budget that spent the most, so that `values`
   * and `status` include them. Never rejects.
   */
  learnTopValues(budget: Budget, limit: number): Promise<void>
  status(applied: AppliedBudget): BudgetStatus
  raised(budget: Budget): RaisedLimit
  /** The values of the tag for which a budget of every value may have an amount. */
  values(budget: Budget): readonly string[]
  /** The windows of which a reset would give something back now. */
  resettable(applied: AppliedBudget): readonly ResettableWindow[]
  /** Applies a change that is already durable. It takes effect with the next request. */
  apply(change: BudgetChange): void
}
