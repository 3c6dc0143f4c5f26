import type { NanoDollars } from '../../canonical/money.ts'
import { brand } from '../../kit/brand.ts'
import { InvariantError } from '../../kit/errors/invariant-error.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { Budget } from '../budget.ts'
import type { BudgetChange } from '../credit-store.ts'
import { type CreditBudget, isCredit } from '../credits/credit-budget.ts'
import type { CreditBalance } from '../credits/credits.ts'
import type { CountedAmount, HeldAmount } from '../ledger-row.ts'
import type { CounterState } from '../ledger-store.ts'
import type { AppliedBudget, BudgetCorrection, BudgetDecision, HoldRequest, HoldResult } from '../meter.ts'
import type { BudgetCounter } from './budget-counter.ts'
import { type BudgetRaise, BudgetRaises } from './budget-raises.ts'
import { CounterAtMoment, finite, startOf, warnedUntil, windowOf } from './counter-at-moment.ts'
import { type CounterBounds, CounterTable } from './counter-table.ts'
import { balanceOf, CreditLimits } from './credit-limits.ts'
import { describeShortage, type LeaseShortage } from './lease-shortage.ts'
import { LiveCorrection } from './live-correction.ts'
import { type HeldBudget, LiveHold } from './live-hold.ts'
import { MonotonicWallTime } from './monotonic-wall-time.ts'
import { findShortages, type HoldRefusal, holdsWorstCase, planHold } from './plan-hold.ts'
import type { ReachedThreshold } from './reached-threshold.ts'
import type { ResettableWindow, WindowSum } from './window-sum.ts'

export interface MeterOptions {
  /** Called once for each share of `warnAt` in each window. Must not throw. */
  readonly onThreshold?: (reached: ReachedThreshold) => void
  /** Called for each hold, refusal, settlement and correction. Must not throw. */
  readonly onDecision?: ((decision: BudgetDecision) => void) | undefined
  readonly bounds?: Partial<CounterBounds>
  /** The system's clock by default. */
  readonly clock?: Pick<Clock, 'monotonicMs'>
  /** Whether other processes share the budgets. An exact budget can then only be spent through leases. */
  readonly isShared?: boolean
  /** Called when a hold of a shared budget has ended, with the window of the hold. Must not throw. */
  readonly onFreed?: ((counter: BudgetCounter, sum: WindowSum) => void) | undefined
  /** Called when a correction has reduced a window of a shared budget. Must not throw. */
  readonly onCorrected?: ((counter: BudgetCounter, sum: WindowSum) => void) | undefined
}

/** The state of a budget for people. */
export interface BudgetStatus {
  /** The limit including the raises in force; undefined: unlimited. */
  readonly limit: NanoDollars | undefined
  /** The amount spent, without the amount that resets gave back. */
  readonly spent: NanoDollars
  /** The amount held. Only an exact budget has holds with an amount. */
  readonly held: NanoDollars
  readonly remaining: NanoDollars | undefined
  readonly windowStartMs: number
  /**
   * The time at which the budget resets; for a rolling window, the time at which its next part leaves it. Undefined:
   * never.
   */
  readonly resetsAtMs: number | undefined
}

export interface RaisedLimit {
  /** Undefined: unlimited. */
  readonly limit: NanoDollars | undefined
  /** The oldest raise comes first. */
  readonly raises: readonly BudgetRaise[]
}

/**
 * The spent and held amounts of every budget. They are in memory, so that no request waits for a store. The amount
 * spent in a window is the sum of its rows in the ledger, and is loaded from the ledger when a process starts.
 */
export class BudgetMeter {
  readonly #onThreshold: MeterOptions['onThreshold']
  readonly #onDecision: MeterOptions['onDecision']
  readonly #onFreed: MeterOptions['onFreed']
  readonly #onCorrected: MeterOptions['onCorrected']
  readonly #counters: CounterTable
  #raises = new BudgetRaises()
  readonly #credits = new CreditLimits()
  readonly #time: MonotonicWallTime

  constructor(options: MeterOptions = {}) {
    this.#onFreed = options.onFreed
    this.#onCorrected = options.onCorrected
    this.#onThreshold = options.onThreshold
    this.#onDecision = options.onDecision
    this.#time = new MonotonicWallTime(options.clock)
    this.#counters = new CounterTable(
      options.bounds,
      options.isShared === true ? 0 : Number.POSITIVE_INFINITY,
    )
  }

  /** Loads the sums of the windows. Must be called before any other method. */
  load(counters: readonly CounterState[]): void {
    for (const counter of counters) this.#counters.load(counter)
  }

  /** Starts a new epoch with these sums and without any grants. The caller must then apply raises and resets again. */
  restart(counters: readonly CounterState[]): void {
    this.#counters.clear()
    this.#raises = new BudgetRaises()
    this.load(counters)
  }

  /** The amounts that the request needs from budgets and that this process was not granted. */
  findShortages({ budgets, worst }: HoldRequest, wallMs: number): readonly LeaseShortage[] {
    const counters = this.#readAll(budgets, this.#time.at(wallMs))
    return findShortages(counters, worst).map(describeShortage)
  }

  /** Sets the amounts that other processes have spent. */
  adoptOthers(states: readonly CounterState[]): void {
    for (const state of states) {
      const counter = this.#counters.findById(state.counter)
      if (counter === undefined) this.#counters.load(state)
      else counter.adoptOthers(state)
      if (counter !== undefined) this.#credits.forget(counter.subject.budgetId)
    }
  }

  /** The IDs of the counters used since a time. */
  readonly usedSince = (wallMs: number): readonly string[] => this.#counters.usedSince(wallMs)

  /** Holds the worst case in every budget, or in no budget. */
  hold({ budgets, worst }: HoldRequest, wallMs: number): HoldResult {
    const counters = this.#readAll(budgets, this.#time.at(wallMs))
    const plan = planHold(counters, worst)
    if (plan.type === 'refused') {
      this.#onDecision?.({
        type: 'refused',
        worst,
        windows: counters.map(({ counter, sum }) => counter.keyOf(sum)),
      })
      return refuse(plan.refusals)
    }
    const { cap } = plan
    const onCounted = this.#onDecision && this.#counted
    const hold = new LiveHold({ budgets: counters, worst, cap, onSettled: this.#settled, onCounted })
    this.#onDecision?.({ type: 'held', amounts: hold.amounts })
    return {
      type: 'held',
      hold,
      maxOutputTokens: counters.some(holdsWorstCase) ? (cap ?? worst.maxOutputTokens) : undefined,
      isClamped: cap !== undefined && cap !== worst.maxOutputTokens,
    }
  }

  /** Starts the correction of a row in the windows that count the row. */
  correct(differences: readonly CountedAmount[]): BudgetCorrection {
    return new LiveCorrection(differences, {
      counters: this.#counters,
      nowMs: this.#time.latestMs,
      onChanged: ({ subject }) => this.#credits.forget(subject.budgetId),
      onReduced: this.#onCorrected,
      onEnded: (counted) => this.#onDecision?.({ type: 'corrected', counted }),
    })
  }

  status(applied: AppliedBudget, wallMs: number): BudgetStatus {
    const nowMs = this.#time.at(wallMs)
    const state = this.#read(applied, this.#counters.show(applied), nowMs)
    const { limit, spent, held, sum, counter } = state
    const endMs = counter.endOf(1)
    return {
      limit: limit === undefined ? undefined : brand<NanoDollars>(limit),
      spent: brand<NanoDollars>(spent),
      held: brand<NanoDollars>(held),
      remaining: limit === undefined ? undefined : brand<NanoDollars>(Math.max(0, limit - spent - held)),
      windowStartMs: startOf(applied.budget, sum, nowMs),
      resetsAtMs: finite(endMs),
    }
  }

  /**
   * The tag values that may have holds, for a budget of each value of a tag. All values beyond the bounds share one
   * name.
   */
  values({ id }: Budget): readonly string[] {
    return this.#counters.values(id)
  }

  /**
   * The raises of a budget that are in force now, and its limit with them. In a budget of a tag, raises apply to every
   * value.
   */
  raised(budget: Budget, wallMs: number): RaisedLimit {
    const nowMs = this.#time.at(wallMs)
    const limit = this.#raisedLimit(budget, nowMs)
    const raises = this.#raises.listAt(budget.id, nowMs)
    return { limit: limit === undefined ? undefined : brand<NanoDollars>(limit), raises }
  }

  /** The windows of which a reset of a budget would give something back, one change for each. */
  resettable(applied: AppliedBudget, wallMs: number): readonly ResettableWindow[] {
    const nowMs = this.#time.at(wallMs)
    const { counter } = this.#read(applied, this.#counters.show(applied), nowMs)
    return counter.resettable()
  }

  balance(credit: CreditBudget, wallMs: number): CreditBalance {
    const nowMs = this.#time.at(wallMs)
    const { counter } = this.#read({ budget: credit }, this.#counters.show({ budget: credit }), nowMs)
    return balanceOf(credit, counter, nowMs)
  }

  /** Applies an operator's durable change. Each change is applied once. Stored changes are applied after `load`. */
  apply(change: BudgetChange): void {
    switch (change.type) {
      case 'raise':
        this.#raises.add(change)
        return
      case 'reset':
        this.#counters.resetSpent(change.window, change.resetAmount)
    }
  }

  #readAll(budgets: HoldRequest['budgets'], nowMs: number): readonly CounterAtMoment[] {
    const counters: CounterAtMoment[] = []
    for (const applied of budgets) {
      const counter = this.#counters.getOrCreate(applied, nowMs)
      if (!holdsCounter(counters, counter)) counters.push(this.#read(applied, counter, nowMs))
    }
    return counters
  }

  #read({ budget }: AppliedBudget, counter: BudgetCounter, nowMs: number): CounterAtMoment {
    const sum = counter.advanceTo(windowOf(budget, nowMs), nowMs)
    const limit = this.#ceilingOf(budget, counter, nowMs)
    if (limit !== undefined && counter.shares.isBehind)
      counter.shares.adopt({
        warnAt: budget.warnAt,
        limit,
        spent: counter.spent,
        nowMs,
        untilMs: warnedUntil(budget, sum, nowMs),
      })
    return new CounterAtMoment({ budget, counter, sum, limit })
  }

  /**
   * The limit that applies now: for a credit, the sum of its usable grants; for other budgets, the limit with its
   * raises.
   */
  #ceilingOf(budget: Budget, counter: BudgetCounter, nowMs: number): number | undefined {
    if (isCredit(budget)) return this.#credits.at(budget, counter, nowMs)
    return this.#raisedLimit(budget, nowMs)
  }

  #raisedLimit({ id, limit }: Budget, nowMs: number): number | undefined {
    if (limit === undefined) return undefined
    const raised = limit + this.#raises.sumAt(id, nowMs)
    return Math.min(Math.max(0, raised), Number.MAX_SAFE_INTEGER)
  }

  readonly #settled = (held: HeldBudget): void => {
    if (isCredit(held.budget)) this.#credits.settled(held.budget, held.counter, held.sum)
    else this.#warn(held)
    this.#onFreed?.(held.counter, held.sum)
  }

  readonly #counted = (held: readonly HeldAmount[], counted: readonly CountedAmount[]): void => {
    this.#onDecision?.({ type: 'settled', held, counted })
  }

  #warn({ budget, counter, sum }: HeldBudget): void {
    if (this.#onThreshold === undefined || !sum.isOpen) return
    const nowMs = this.#time.latestMs
    const limit = this.#ceilingOf(budget, counter, nowMs)
    if (limit === undefined) return
    const { warnAt } = budget
    const { spent, subject, shares } = counter
    if (!shares.isDue(warnAt, limit, spent)) return
    const untilMs = warnedUntil(budget, sum, nowMs)
    for (const percent of shares.update({ warnAt, limit, spent, nowMs, untilMs }))
      this.#onThreshold({
        budget,
        tagValue: subject.tagValue,
        percent,
        limit: brand<NanoDollars>(limit),
        spent: brand<NanoDollars>(spent),
        windowStartMs: startOf(budget, sum, nowMs),
        resetsAtMs: finite(counter.endOf(1)),
      })
  }
}

function holdsCounter(counters: readonly CounterAtMoment[], wanted: BudgetCounter): boolean {
  for (const { counter } of counters) if (counter === wanted) return true
  return false
}

/** Returns the refusal that lasts longest, since the request is refused until that time. */
function refuse(refusals: readonly HoldRefusal<CounterAtMoment>[]): HoldResult {
  const ends = refusals.map(({ state, missing }) => state.counter.endOf(missing))
  const lastMs = Math.max(...ends)
  const refusal = refusals[ends.indexOf(lastMs)]
  if (refusal === undefined) throw new InvariantError('a hold is refused by no budget')
  const { state, reason } = refusal
  const { budget, counter } = state
  return { type: 'refused', budget, tagValue: counter.subject.tagValue, reason, resetsAtMs: finite(lastMs) }
}
