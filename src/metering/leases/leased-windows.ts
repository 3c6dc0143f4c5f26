import type { BudgetCounter } from '../budgets/budget-counter.ts'
import type { WindowSum } from '../budgets/window-sum.ts'
import type { CounterKey } from '../ledger-row.ts'
import type { Lease, LeaseAsk, LeaseReturn } from './meter-store.ts'

interface LeasedWindow {
  readonly counter: BudgetCounter
  readonly key: CounterKey
  /** The amount spent at the last measurement. */
  measured: number
  /** The average amount spent in a tick. */
  rate: number
  /** Whether little of the budget remains. Unused amounts are then given back. */
  isTight: boolean
  /** Whether another process needs an amount of the window. */
  isWanted: boolean
  /** Whether the last order had no answer. The store may then have granted more than this process uses. */
  isUncertain: boolean
}

/** The weight of the newest tick in the average. */
const NEWEST_WEIGHT = 0.5
/** The number of ticks for which amounts are leased in advance. */
const TICKS_AHEAD = 2
/** While fewer holds than this fit into the remaining amount, unused amounts are given back. */
const HOLDS_WHEN_TIGHT = 32

/** The windows in which this process has a lease, and the amount that it needs in each. */
export class LeasedWindows {
  readonly #windows = new Map<string, LeasedWindow>()

  get size(): number {
    return this.#windows.size
  }

  clear(): void {
    this.#windows.clear()
  }

  add(counter: BudgetCounter, key: CounterKey): void {
    const name = nameOf(key.counter, key.windowStartMs)
    // An idle counter is removed and created again later.
    if (this.#windows.get(name)?.counter === counter) return
    const measured = counter.findWindow(key.windowStartMs)?.own ?? 0
    const isUncertain = this.#windows.get(name)?.isUncertain ?? false
    this.#windows.set(name, { counter, key, measured, rate: 0, isTight: false, isWanted: false, isUncertain })
  }

  isTight(counter: string, windowStartMs: number): boolean {
    return this.#windows.get(nameOf(counter, windowStartMs))?.isTight === true
  }

  /** The amount that is likely to be needed soon, by recent use. */
  usualNeed({ id }: BudgetCounter, sum: WindowSum): number {
    const rate = this.#windows.get(nameOf(id, sum.startMs))?.rate ?? 0
    return Math.ceil(sum.held + TICKS_AHEAD * rate)
  }

  /** Marks the windows of a counter as needed by another process. Returns whether any of them is leased. */
  markWanted(counter: string): boolean {
    let isLeased = false
    for (const window of this.#windows.values()) {
      if (window.key.counter !== counter) continue
      window.isWanted = true
      isLeased = true
    }
    return isLeased
  }

  /** Applies the grants of the store. The first leases are those of the asks. */
  adopt(leases: readonly Lease[], asks: readonly LeaseAsk[]): void {
    for (const [index, { counter, windowStartMs, granted, left }] of leases.entries()) {
      const window = this.#windows.get(nameOf(counter, windowStartMs))
      if (window === undefined) continue
      const ask = asks[index]
      window.counter.grant(window.key, granted)
      window.isUncertain = false
      if (ask !== undefined) window.isTight = left < HOLDS_WHEN_TIGHT * ask.needed
    }
  }

  /** Called when an order had no answer. The windows are returned again, down to the amounts that are used. */
  markUncertain(keys: readonly Pick<CounterKey, 'counter' | 'windowStartMs'>[]): void {
    for (const { counter, windowStartMs } of keys) {
      const window = this.#windows.get(nameOf(counter, windowStartMs))
      if (window !== undefined) window.isUncertain = true
    }
  }

  /** Measures the amount spent in each tick, and removes windows that have ended. */
  measure(): void {
    for (const [name, window] of this.#windows) {
      const sum = window.counter.findWindow(window.key.windowStartMs)
      if (sum === undefined) {
        this.#windows.delete(name)
        continue
      }
      const spent = Math.max(0, sum.own - window.measured)
      window.measured = sum.own
      window.rate += NEWEST_WEIGHT * (spent - window.rate)
    }
  }

  /**
   * Stops the use of amounts that are not needed, and returns them. Windows with an ask in the same order are left out.
   */
  lowerUnused(asks: readonly LeaseAsk[]): readonly LeaseReturn[] {
    const increased = new Set(asks.map(({ window }) => nameOf(window.counter, window.windowStartMs)))
    const returns: LeaseReturn[] = []
    for (const [name, window] of this.#windows) {
      const { key, counter } = window
      const sum = increased.has(name) ? undefined : counter.findWindow(key.windowStartMs)
      if (sum === undefined) continue
      const staysAhead = !window.isTight && !window.isWanted
      // The amount is negative where this process took back more than it spent: it corrected rows of others.
      const granted = sum.own + sum.held + (staysAhead ? this.usualNeed(counter, sum) : 0)
      window.isWanted = false
      if (granted >= sum.granted && !window.isUncertain) continue
      sum.granted = Math.min(granted, sum.granted)
      returns.push({ counter: key.counter, windowStartMs: key.windowStartMs, granted: sum.granted })
    }
    return returns
  }
}

function nameOf(counter: string, windowStartMs: number): string {
  return `${windowStartMs} ${counter}`
}
