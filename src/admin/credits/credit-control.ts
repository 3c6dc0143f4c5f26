import type { BudgetScope } from '../../metering/budget.ts'
import type { CreditGrant } from '../../metering/credit-store.ts'
import type { CreditBudget } from '../../metering/credits/credit-budget.ts'
import type { CreditBalance } from '../../metering/credits/credits.ts'

/** The state of credits in this process, and the changes to them. */
export interface CreditControl {
  credits(): readonly CreditBudget[]
  /** The credit of a scope, without grants where there was none. */
  creditOf(scope: BudgetScope): CreditBudget
  balance(credit: CreditBudget): CreditBalance
  /** Takes a grant into account that is durable: it counts from the next request on. */
  add(grant: CreditGrant): void
}
