import type { BudgetId } from '../budget.ts'
import type { CreditGrant } from '../credit-store.ts'
import type { CreditBudget } from '../credits/credit-budget.ts'
import { balanceCredit, type CreditBalance } from '../credits/credits.ts'
import type { BudgetCounter } from './budget-counter.ts'
import type { WindowSum } from './window-sum.ts'

interface CachedLimit {
  readonly grants: readonly CreditGrant[]
  readonly limit: number
  /** The time at which the next grant begins or expires. */
  readonly untilMs: number
}

/**
 * The total usable amounts of credits. They are cached, since replaying the grants of a credit for each request would
 * cost too much.
 */
export class CreditLimits {
  readonly #cache = new Map<BudgetId, CachedLimit>()

  /** The limit of a credit. Use does not change it. It changes when a grant is added or expires. */
  at(credit: CreditBudget, counter: BudgetCounter, nowMs: number): number {
    const { id, grants } = credit
    const cached = this.#cache.get(id)
    if (cached !== undefined && cached.grants === grants && nowMs < cached.untilMs) return cached.limit
    const { limit } = balanceOf(credit, counter, nowMs)
    this.#cache.set(id, { grants, limit, untilMs: nextChange(grants, nowMs) })
    return limit
  }

  /**
   * Forgets the cached limit of a credit when a part that has ended was settled: the sum of that part decides how much
   * of the grants had expired.
   */
  settled({ id }: CreditBudget, counter: BudgetCounter, sum: WindowSum): void {
    if (sum !== counter.latest) this.forget(id)
  }

  forget(id: BudgetId): void {
    this.#cache.delete(id)
  }
}

export function balanceOf({ grants }: CreditBudget, counter: BudgetCounter, nowMs: number): CreditBalance {
  const parts = counter.parts().map(({ startMs, spent, held }) => ({ startMs, used: spent + held }))
  return balanceCredit(grants, parts, nowMs)
}

function nextChange(grants: readonly CreditGrant[], nowMs: number): number {
  let next = Number.POSITIVE_INFINITY
  for (const { atMs, expiresAtMs = Number.POSITIVE_INFINITY } of grants)
    for (const change of [atMs, expiresAtMs]) if (change > nowMs && change < next) next = change
  return next
}
