import type { NanoDollars } from '../canonical/money.ts'
import { brand } from '../kit/values/brand.ts'
import { type Budget, type BudgetId, countedAmount } from './budget.ts'
import { BudgetCounter, type WindowSum } from './budget-counter.ts'
import type { CountedAmount, HeldAmount } from './ledger-row.ts'
import type { CounterState } from './ledger-store.ts'
import type { AppliedBudget, Hold, HoldRequest, HoldResult } from './meter.ts'
import { amountOf, type BudgetState, planHold } from './plan-hold.ts'

/** More values of one tag share a budget. */
const MOST_VALUES = 100_000
/** By which those that are too many are called together. */
export const OVERFLOW_VALUE = '(others)'
/** Between two looks for counters whose windows are all over. */
const SWEEP_EVERY_HOLDS = 10_000

export interface MeterOptions {
  /** Called once for each share of `warnAt` in each window. */
  readonly onThreshold?: (reached: ReachedThreshold) => void
}

export interface ReachedThreshold {
  readonly budget: Budget
  readonly tagValue: string | undefined
  readonly percent: number
}

/** A budget as people see it. */
export interface BudgetStatus {
  /** With what it is raised by at the moment; undefined: unlimited. */
  readonly limit: NanoDollars | undefined
  readonly spent: NanoDollars
  readonly held: NanoDollars
  readonly remaining: NanoDollars | undefined
  readonly resetsAtMs: number | undefined
}

interface Raise {
  readonly by: NanoDollars
  readonly untilMs: number
}

interface Taken {
  readonly applied: AppliedBudget
  readonly counter: BudgetCounter
  readonly sum: WindowSum
  readonly amount: NanoDollars
}

/**
 * What every budget has spent and holds, in memory, so that nobody waits. The ledger has the same: a counter is the sum
 * of the rows of its window, and is loaded from there when a process starts.
 */
export class BudgetMeter {
  readonly #options: MeterOptions
  readonly #counters = new Map<string, BudgetCounter>()
  /** What was loaded of counters whose budgets were not asked for yet. */
  readonly #loaded = new Map<string, CounterState[]>()
  readonly #values = new Map<BudgetId, number>()
  readonly #raises = new Map<BudgetId, readonly Raise[]>()
  /** A clock that is set back does not open a window anew. */
  #latestMs = 0
  #holds = 0

  constructor(options: MeterOptions = {}) {
    this.#options = options
  }

  load(counters: readonly CounterState[]): void {
    for (const counter of counters) {
      const known = this.#loaded.get(counter.counter)
      if (known === undefined) this.#loaded.set(counter.counter, [counter])
      else known.push(counter)
    }
  }

  /** Holds the worst case in every budget, or in none. */
  hold({ budgets, worst }: HoldRequest, wallMs: number): HoldResult {
    const nowMs = this.#advance(wallMs)
    const counters = budgets.map((applied) => this.#counterOf(applied))
    const states = budgets.map(({ budget }, index) => this.#stateOf(budget, counters[index], nowMs))
    const plan = planHold(states, worst)
    if (plan.type === 'refused') {
      const index = budgets.findIndex(({ budget }) => budget === plan.budget)
      return { ...plan, resetsAtMs: counters[index]?.resetsAtMs(nowMs) }
    }
    const cap = plan.outputCap ?? 0
    const taken = budgets.map((applied, index): Taken => {
      const counter = counters[index] ?? this.#counterOf(applied)
      return { applied, counter, sum: counter.current(nowMs), amount: heldBy(applied.budget, worst, cap) }
    })
    for (const { sum, amount } of taken) {
      sum.held += amount
      sum.holds += 1
    }
    this.#sweep(nowMs)
    return { ...plan, type: 'held', hold: this.#openHold(taken) }
  }

  status({ budget, tagValue }: AppliedBudget, wallMs: number): BudgetStatus {
    const nowMs = this.#advance(wallMs)
    const counter = this.#counterOf({ budget, tagValue })
    const { limit, spent, held } = this.#stateOf(budget, counter, nowMs)
    const remaining = limit === undefined ? undefined : brand<NanoDollars>(Math.max(0, limit - spent - held))
    return {
      ...{ limit, remaining, resetsAtMs: counter.resetsAtMs(nowMs) },
      ...{ spent: brand<NanoDollars>(spent), held: brand<NanoDollars>(held) },
    }
  }

  /** Lets a budget spend more for a while. */
  raise(id: BudgetId, by: NanoDollars, untilMs: number): void {
    this.#raises.set(id, [...(this.#raises.get(id) ?? []), { by, untilMs }])
  }

  /** Starts the budget anew: what the ledger must add so that its window is at nothing. */
  reset(applied: AppliedBudget, wallMs: number): CountedAmount | undefined {
    const nowMs = this.#advance(wallMs)
    const counter = this.#counterOf(applied)
    const { spent } = counter.read(nowMs)
    if (spent === 0) return undefined
    const sum = counter.current(nowMs)
    const amount = brand<NanoDollars>(-spent)
    sum.spent += amount
    sum.warnedAt = 0
    return { ...counter.keyOf(sum), amount }
  }

  #advance(wallMs: number): number {
    this.#latestMs = Math.max(this.#latestMs, wallMs)
    return this.#latestMs
  }

  #counterOf({ budget, tagValue }: AppliedBudget): BudgetCounter {
    const id = tagValue === undefined ? budget.id : `${budget.id}#${tagValue}`
    const known = this.#counters.get(id)
    if (known !== undefined) return known
    if (tagValue !== undefined) {
      const values = this.#values.get(budget.id) ?? 0
      if (values >= MOST_VALUES && tagValue !== OVERFLOW_VALUE)
        return this.#counterOf({ budget, tagValue: OVERFLOW_VALUE })
      this.#values.set(budget.id, values + 1)
    }
    const counter = new BudgetCounter(id, budget.window)
    for (const { windowStartMs, windowEndMs, spent } of this.#loaded.get(id) ?? [])
      counter.load({ startMs: windowStartMs, endMs: endOf(budget, windowEndMs), spent })
    this.#loaded.delete(id)
    this.#counters.set(id, counter)
    return counter
  }

  #stateOf(budget: Budget, counter: BudgetCounter | undefined, nowMs: number): BudgetState {
    const { spent, held, holds } = counter?.read(nowMs) ?? { spent: 0, held: 0, holds: 0 }
    return { budget, limit: this.#limitOf(budget, nowMs), spent, held, holds }
  }

  #limitOf({ id, limit }: Budget, nowMs: number): NanoDollars | undefined {
    const raises = this.#raises.get(id)
    if (limit === undefined || raises === undefined) return limit
    const raised = raises.reduce((sum, { by, untilMs }) => (nowMs < untilMs ? sum + by : sum), 0)
    return brand<NanoDollars>(limit + raised)
  }

  #openHold(taken: readonly Taken[]): Hold {
    let counted: readonly CountedAmount[] | undefined
    return {
      amounts: taken.map(({ applied, counter, sum, amount }): HeldAmount => {
        return { ...counter.keyOf(sum), amount, counts: countedAmount(applied.budget.scope) }
      }),
      mostCharged: mostCharged(taken),
      settle: (actual) => {
        counted ??= taken.map((each) => this.#settle(each, actual))
        return counted
      },
    }
  }

  #settle(
    { applied, counter, sum, amount: held }: Taken,
    actual: { readonly cost: NanoDollars; readonly charged: NanoDollars },
  ): CountedAmount {
    const amount = actual[countedAmount(applied.budget.scope)]
    sum.held -= held
    sum.holds -= 1
    sum.spent += amount
    this.#warn(applied, sum)
    return { ...counter.keyOf(sum), amount }
  }

  #warn({ budget, tagValue }: AppliedBudget, sum: WindowSum): void {
    const { onThreshold } = this.#options
    const limit = this.#limitOf(budget, this.#latestMs)
    if (onThreshold === undefined || limit === undefined) return
    for (const percent of budget.warnAt) {
      if (percent <= sum.warnedAt || sum.spent * 100 < limit * percent) continue
      sum.warnedAt = percent
      onThreshold({ budget, tagValue, percent })
    }
  }

  /** Counters of tag values come and go. */
  #sweep(nowMs: number): void {
    this.#holds += 1
    if (this.#holds % SWEEP_EVERY_HOLDS !== 0) return
    for (const [id, counter] of this.#counters) if (counter.forgetEnded(nowMs)) this.#counters.delete(id)
    this.#values.clear()
    for (const id of this.#counters.keys()) {
      const owner = brand<BudgetId>(id.split('#', 1)[0] ?? id)
      if (owner !== id) this.#values.set(owner, (this.#values.get(owner) ?? 0) + 1)
    }
  }
}

/** Budgets that are not exact hold nothing, but what they add up is of the same window. */
function heldBy(budget: Budget, worst: HoldRequest['worst'], outputCap: number): NanoDollars {
  return budget.mode === 'exact' ? amountOf(budget, worst, outputCap) : brand<NanoDollars>(0)
}

function mostCharged(taken: readonly Taken[]): NanoDollars {
  const limits = taken
    .filter(({ applied: { budget } }) => budget.mode === 'exact' && countedAmount(budget.scope) === 'charged')
    .map(({ amount }) => amount)
  return brand<NanoDollars>(limits.length === 0 ? Number.MAX_SAFE_INTEGER : Math.min(...limits))
}

/** The ledger has until when a part of a rolling window limits. */
function endOf({ window }: Budget, limitsUntilMs: number | undefined): number | undefined {
  if (limitsUntilMs === undefined) return undefined
  return window.type === 'rolling' ? limitsUntilMs - window.lengthMs : limitsUntilMs
}
