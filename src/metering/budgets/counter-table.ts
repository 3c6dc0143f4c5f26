import type { NanoDollars } from '../../canonical/money.ts'
import type { BudgetId } from '../budget.ts'
import type { CounterKey } from '../ledger-row.ts'
import type { CounterState } from '../ledger-store.ts'
import type { AppliedBudget } from '../meter.ts'
import { BudgetCounter } from './budget-counter.ts'
import { type CounterSubject, readCounterId, writeCounterId } from './counter-id.ts'

/** The name that tag values beyond the bound share. */
export const OVERFLOW_VALUE = '(others)'

export interface CounterBounds {
  /** The number of values of one tag from which further values share a counter. */
  readonly valuesOfOne: number
  /** The number of all counters from which new values of a tag share a counter. */
  readonly counters: number
}

const usualBounds: CounterBounds = { valuesOfOne: 100_000, counters: 500_000 }
/**
 * The number of counters that are checked when a counter is created. Counters are removed when their windows have
 * ended.
 */
const LOOKS_BY_NEW = 4
const LOOKS_WHEN_FULL = 64

interface CountersOfBudget {
  whole: BudgetCounter | undefined
  readonly byValue: Map<string, BudgetCounter>
}

export class CounterTable {
  readonly #bounds: CounterBounds
  readonly #budgets = new Map<BudgetId, CountersOfBudget>()
  readonly #all = new Set<BudgetCounter>()
  readonly #firstGrant: number
  #next: Iterator<BudgetCounter> = this.#all.values()

  /**
   * Creates an empty table. `firstGrant` is the amount that this process may spend in a window before it is granted
   * more.
   */
  constructor(bounds: Partial<CounterBounds> = {}, firstGrant = Number.POSITIVE_INFINITY) {
    this.#bounds = { ...usualBounds, ...bounds }
    this.#firstGrant = firstGrant
  }

  get size(): number {
    return this.#all.size
  }

  load(state: CounterState): void {
    const subject = readCounterId(state.counter)
    const counter = this.find(subject) ?? this.#create(subject)
    counter.load(state)
  }

  /** Gives back an amount of a window, also of a counter that only other processes have used. */
  resetSpent(window: CounterKey, amount: NanoDollars): void {
    const subject = readCounterId(window.counter)
    const counter = this.find(subject) ?? this.#create(subject)
    counter.resetSpent(window, amount)
  }

  find({ budgetId, tagValue }: CounterSubject): BudgetCounter | undefined {
    const found = this.#budgets.get(budgetId)
    return tagValue === undefined ? found?.whole : found?.byValue.get(tagValue)
  }

  /** Removes all counters. Holds in progress end in windows that are no longer read. */
  clear(): void {
    this.#budgets.clear()
    this.#all.clear()
    this.#next = this.#all.values()
  }

  /** The IDs of the counters used since a time. */
  usedSince(atMs: number): readonly string[] {
    return [...this.#all].filter(({ usedAtMs }) => usedAtMs >= atMs).map(({ id }) => id)
  }

  /** The tag values that have a counter, for a budget of each value of a tag. */
  values(id: BudgetId): readonly string[] {
    return [...(this.#budgets.get(id)?.byValue.keys() ?? [])]
  }

  findById(counter: string): BudgetCounter | undefined {
    return this.find(readCounterId(counter))
  }

  /** The counter that `getOrCreate` would return, without adding one to the table. */
  show({ budget, tagValue }: AppliedBudget): BudgetCounter {
    const subject = { budgetId: budget.id, tagValue }
    const shares = tagValue !== undefined && !this.#hasRoom(budget.id)
    const overflow = shares ? this.find({ ...subject, tagValue: OVERFLOW_VALUE }) : undefined
    return this.find(subject) ?? overflow ?? this.#make(subject)
  }

  /** Returns the counter of a budget, and creates it if it does not exist. */
  getOrCreate({ budget, tagValue }: AppliedBudget, nowMs: number): BudgetCounter {
    const subject = { budgetId: budget.id, tagValue }
    const existing = this.find(subject)
    if (existing !== undefined) return existing
    this.#forgetIdle(LOOKS_BY_NEW, nowMs)
    const isOverflow = tagValue === OVERFLOW_VALUE
    if (tagValue === undefined || isOverflow || !this.#isFull(budget.id, nowMs)) return this.#create(subject)
    return this.getOrCreate({ budget, tagValue: OVERFLOW_VALUE }, nowMs)
  }

  #isFull(id: BudgetId, nowMs: number): boolean {
    if (this.#hasRoom(id)) return false
    this.#forgetIdle(LOOKS_WHEN_FULL, nowMs)
    return !this.#hasRoom(id)
  }

  #hasRoom(id: BudgetId): boolean {
    const values = this.#budgets.get(id)?.byValue.size ?? 0
    return values < this.#bounds.valuesOfOne && this.#all.size < this.#bounds.counters
  }

  #create(subject: CounterSubject): BudgetCounter {
    const { budgetId, tagValue } = subject
    const counter = this.#make(subject)
    const counters = this.#budgets.get(budgetId) ?? { whole: undefined, byValue: new Map() }
    if (tagValue === undefined) counters.whole = counter
    else counters.byValue.set(tagValue, counter)
    this.#budgets.set(budgetId, counters)
    this.#all.add(counter)
    return counter
  }

  #make(subject: CounterSubject): BudgetCounter {
    return new BudgetCounter(writeCounterId(subject), subject, this.#firstGrant)
  }

  /** Checks the next few counters, round after round, and removes those with only ended windows. */
  #forgetIdle(looks: number, nowMs: number): void {
    for (let look = 0; look < Math.min(looks, this.#all.size); look += 1) {
      let { value, done } = this.#next.next()
      if (done === true) {
        this.#next = this.#all.values()
        ;({ value, done } = this.#next.next())
      }
      if (done !== true && value.isIdle(nowMs)) this.#forget(value)
    }
  }

  #forget(counter: BudgetCounter): void {
    const { budgetId, tagValue } = counter.subject
    this.#all.delete(counter)
    const counters = this.#budgets.get(budgetId)
    if (counters === undefined) return
    if (tagValue === undefined) counters.whole = undefined
    else counters.byValue.delete(tagValue)
    if (counters.whole === undefined && counters.byValue.size === 0) this.#budgets.delete(budgetId)
  }
}
