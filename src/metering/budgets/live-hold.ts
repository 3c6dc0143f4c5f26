import type { EstimatedBudget } from '../../canonical/estimated-charge.ts'
import type { NanoDollars } from '../../canonical/money.ts'
import { brand } from '../../kit/brand.ts'
import { type Budget, type CountedSum, countedAmount } from '../budget.ts'
import type { CountedAmount, HeldAmount } from '../ledger-row.ts'
import type { Hold, WorstCase } from '../meter.ts'
import type { BudgetCounter } from './budget-counter.ts'
import { holdsWorstCase } from './plan-hold.ts'
import type { WindowSum } from './window-sum.ts'
import { worstAmounts } from './worst-cost.ts'

/** A budget in which an amount is held. */
export interface HeldBudget {
  readonly budget: Budget
  readonly counter: BudgetCounter
  readonly sum: WindowSum
  readonly limit: number | undefined
}

export interface LiveHoldOptions {
  readonly budgets: readonly HeldBudget[]
  readonly worst: WorstCase
  /** The output cap by which the request fits; undefined where it fits with its full output. */
  readonly cap: number | undefined
  /** Called for each budget when all budgets are settled. */
  readonly onSettled: (budget: HeldBudget) => void
  /** Called once with the held and counted amounts, before `onSettled`. */
  readonly onCounted: ((held: readonly HeldAmount[], counted: readonly CountedAmount[]) => void) | undefined
}

/** A hold. It starts when the object is created. */
export class LiveHold implements Hold {
  readonly maxCharged: NanoDollars
  readonly #worstCase: WorstCase
  readonly #cap: number | undefined
  readonly #budgets: readonly HeldBudget[]
  readonly #onSettled: LiveHoldOptions['onSettled']
  readonly #onCounted: LiveHoldOptions['onCounted']
  #worst: Readonly<Record<CountedSum, NanoDollars>> | undefined
  #amounts: readonly HeldAmount[] | undefined
  #counted: readonly CountedAmount[] | undefined

  constructor({ budgets, worst, cap, onSettled, onCounted }: LiveHoldOptions) {
    this.#budgets = budgets
    this.#worstCase = worst
    this.#cap = cap
    this.#onSettled = onSettled
    this.#onCounted = onCounted
    const isChargedExactly = budgets.some((each) => holdsWorstCase(each) && countsOf(each) === 'charged')
    this.maxCharged = isChargedExactly ? this.worst.charged : brand<NanoDollars>(Number.MAX_SAFE_INTEGER)
    for (const each of budgets) each.counter.hold(each.sum, this.#setAside(each))
  }

  get worst(): Readonly<Record<CountedSum, NanoDollars>> {
    this.#worst ??= worstAmounts(this.#worstCase, this.#cap ?? this.#worstCase.maxOutputTokens ?? 0)
    return this.#worst
  }

  get estimated(): readonly EstimatedBudget[] {
    return this.#budgets.map((each): EstimatedBudget => {
      return { counter: each.counter.id, counts: countsOf(each), isExact: holdsWorstCase(each) }
    })
  }

  get amounts(): readonly HeldAmount[] {
    this.#amounts ??= this.#budgets.map((each): HeldAmount => {
      const { counter, windowStartMs, windowEndMs } = each.counter.keyOf(each.sum)
      const amount = brand<NanoDollars>(this.#setAside(each))
      return { counter, windowStartMs, windowEndMs, amount, counts: countsOf(each) }
    })
    return this.#amounts
  }

  settle({ cost, charged }: Readonly<Record<CountedSum, NanoDollars>>): readonly CountedAmount[] {
    if (this.#counted !== undefined) return this.#counted
    const actual = { cost, charged: brand<NanoDollars>(Math.min(charged, this.maxCharged)) }
    this.#counted = this.#budgets.map((each): CountedAmount => {
      const counts = countsOf(each)
      const amount = actual[counts]
      each.counter.settle(each.sum, { held: this.#setAside(each), amount })
      const { counter, windowStartMs, windowEndMs } = each.counter.keyOf(each.sum)
      return { counter, windowStartMs, windowEndMs, amount }
    })
    this.#onCounted?.(this.amounts, this.#counted)
    for (const each of this.#budgets) this.#onSettled(each)
    return this.#counted
  }

  #setAside(held: HeldBudget): number {
    return holdsWorstCase(held) ? this.worst[countsOf(held)] : 0
  }
}

function countsOf({ budget }: HeldBudget): CountedSum {
  return countedAmount(budget.scope)
}
