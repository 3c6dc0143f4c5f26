import type { BudgetId } from '../budget.ts'
import type { CreditGrant } from '../credit-store.ts'
import type { CreditBudget } from '../credits/credit-budget.ts'
import { balanceCredit, type CreditBalance } from '../credits/credits.ts'
import type { BudgetCounter } from './budget-counter.ts'
import type { WindowSum } from './window-sum.ts'

interface KnownLimit {
  readonly grants: readonly CreditGrant[]
  readonly limit: number
  /** The time at which the next grant comes or lapses. */
  readonly untilMs: number
}

/**
 * The amounts of credits that can be used, in all. They are kept since following the grants of one through time for
 * each request would cost too much.
 */
export class CreditLimits {
  readonly #known = new Map<BudgetId, KnownLimit>()

  /** The limit, which stays the same however much is used, until a grant comes or lapses. */
  at(credit: CreditBudget, counter: BudgetCounter, nowMs: number): number {
    const { id, grants } = credit
    const known = this.#known.get(id)
    if (known !== undefined && known.grants === grants && nowMs < known.untilMs) return known.limit
    const { limit } = balanceOf(credit, counter, nowMs)
    this.#known.set(id, { grants, limit, untilMs: nextChange(grants, nowMs) })
    return limit
  }

  /**
   * Forgets the known limit of a credit where a part that is over was settled: its sum decides how much of the grants
   * had lapsed.
   */
  settled({ id }: CreditBudget, counter: BudgetCounter, sum: WindowSum): void {
    if (sum !== counter.latest) this.forget(id)
  }

  forget(id: BudgetId): void {
    this.#known.delete(id)
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
