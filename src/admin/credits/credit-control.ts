import type { BudgetScope } from '../../metering/budget.ts'
import type { CreditGrant } from '../../metering/credit-store.ts'
import type { CreditBudget } from '../../metering/credits/credit-budget.ts'
import type { CreditBalance } from '../../metering/credits/credits.ts'

/** The state of credits in this process, and the changes to them. */
export interface CreditControl {
  credits(): readonly CreditBudget[]
  /** The credit of a scope. It has no grants if there never was one. */
  creditOf(scope: BudgetScope): CreditBudget
  /** Reads the amounts that other processes have spent, so that `balance` includes them. Never rejects. */
  learnOthers(credits: readonly CreditBudget[]): Promise<void>
  balance(credit: CreditBudget): CreditBalance
  /** Applies a grant that is already durable. It takes effect with the next request. */
  add(grant: CreditGrant): void
}
