import { addAmounts, type NanoDollars } from '../canonical/money.ts'
import type { Tags } from '../canonical/tags.ts'
import { type Budget, isLimiting } from './budget.ts'
import type { BudgetMeter, BudgetStatus } from './budgets/budget-meter.ts'
import { type CreditBudget, isCredit } from './credits/credit-budget.ts'
import type { CreditBalance } from './credits/credits.ts'
import type { LimitedCaller, LimitIndex } from './limit-index.ts'
import type { RateLimit } from './rate-limit.ts'
import type { RateLevel } from './rates/limit-state.ts'
import type { RateLimiter } from './rates/rate-limiter.ts'

/** The limits that apply to all requests of a caller, and the amounts that remain. */
export interface CallerAccount {
  readonly budgets: readonly BudgetAccount[]
  readonly credits: readonly CreditAccount[]
  readonly rates: readonly RateAccount[]
}

export interface BudgetAccount {
  readonly budget: Budget
  readonly status: BudgetStatus
}

export interface CreditAccount {
  readonly budget: CreditBudget
  readonly status: BudgetStatus
  readonly balance: CreditBalance
}

export interface RateAccount {
  readonly limit: RateLimit
  readonly levels: readonly RateLevel[]
  /** The number of requests in flight now. */
  readonly running: number
}

export interface AccountSource {
  readonly limits: Pick<LimitIndex, 'callerBudgets' | 'callerRates'>
  readonly meter: Pick<BudgetMeter, 'status' | 'balance'>
  readonly rates: Pick<RateLimiter, 'status' | 'running'>
}

export type AccountHolder = LimitedCaller & { readonly tags: Tags }

/** Reads the account from memory only. Callers do not see budgets of models, channels and the installation. */
export function readAccount(
  caller: AccountHolder,
  { limits, meter, rates }: AccountSource,
  wallMs: number,
): CallerAccount {
  const budgets: BudgetAccount[] = []
  const credits: CreditAccount[] = []
  for (const applied of limits.callerBudgets(caller, caller.tags)) {
    const { budget } = applied
    const status = meter.status(applied, wallMs)
    if (isCredit(budget)) credits.push({ budget, status, balance: meter.balance(budget, wallMs) })
    else budgets.push({ budget, status })
  }
  const limited = limits.callerRates(caller).map((limit) => ({
    limit,
    levels: rates.status([limit]),
    running: rates.running(limit.id),
  }))
  return { budgets, credits, rates: limited }
}

/** A limit of money that refuses requests. Budgets that only warn have no such limit. */
export interface MoneyLimit {
  readonly budget: Budget
  readonly limit: NanoDollars
  /** Never below zero. */
  readonly remaining: NanoDollars
  /** The amount spent and held. It exceeds the limit where the mode allows that. */
  readonly used: NanoDollars
}

/** The limit with the lowest remaining amount; undefined where nothing limits the spending of the caller. */
export function lowestRemainingLimit({ budgets, credits }: CallerAccount): MoneyLimit | undefined {
  let lowest: MoneyLimit | undefined
  for (const { budget, status } of [...budgets, ...credits]) {
    const { limit, remaining, spent, held } = status
    if (limit === undefined || remaining === undefined || !isLimiting({ ...budget, limit })) continue
    if (lowest === undefined || remaining < lowest.remaining)
      lowest = { budget, limit, remaining, used: addAmounts(spent, held) }
  }
  return lowest
}
