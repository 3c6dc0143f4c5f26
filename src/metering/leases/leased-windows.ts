import type { BudgetCounter } from '../budgets/budget-counter.ts'
import type { WindowSum } from '../budgets/window-sum.ts'
import type { CounterKey } from '../ledger-row.ts'
import type { Lease, LeaseAsk, LeaseReturn } from './meter-store.ts'

interface LeasedWindow {
  readonly counter: BudgetCounter
  readonly key: CounterKey
  /** The amount that was spent at the last measure. */
  measured: number
  /** The amount that is spent in a tick, on average. */
  rate: number
  /** Whether little is left of the budget, so that nothing stays that is not used. */
  isTight: boolean
  /** Whether another process needs it. */
  isWanted: boolean
}

/** The weight of the newest tick in the average. */
const NEWEST_WEIGHT = 0.5
/** The ticks whose use is leased ahead. */
const TICKS_AHEAD = 2
/** While fewer holds than this fit into what is left, nothing stays that is not used. */
const HOLDS_WHEN_TIGHT = 32

/** The windows that this process has leased a part of, and how much of each it needs. */
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
    // A counter that was idle is forgotten and made anew.
    if (this.#windows.get(name)?.counter === counter) return
    const measured = counter.findWindow(key.windowStartMs)?.own ?? 0
    this.#windows.set(name, { counter, key, measured, rate: 0, isTight: false, isWanted: false })
  }

  isTight(counter: string, windowStartMs: number): boolean {
    return this.#windows.get(nameOf(counter, windowStartMs))?.isTight === true
  }

  /** The amount that recent use makes likely to be needed soon. */
  usualNeed({ id }: BudgetCounter, sum: WindowSum): number {
    const rate = this.#windows.get(nameOf(id, sum.startMs))?.rate ?? 0
    return Math.ceil(sum.held + TICKS_AHEAD * rate)
  }

  /** Whether anything of the counter is leased. */
  markWanted(counter: string): boolean {
    let isLeased = false
    for (const window of this.#windows.values()) {
      if (window.key.counter !== counter) continue
      window.isWanted = true
      isLeased = true
    }
    return isLeased
  }

  /** Takes over what the store has granted; the first leases are those of the asks. */
  adopt(leases: readonly Lease[], asks: readonly LeaseAsk[]): void {
    for (const [index, { counter, windowStartMs, granted, left }] of leases.entries()) {
      const window = this.#windows.get(nameOf(counter, windowStartMs))
      if (window === undefined) continue
      const ask = asks[index]
      window.counter.grant(window.key, granted)
      if (ask !== undefined) window.isTight = left < HOLDS_WHEN_TIGHT * ask.needed
    }
  }

  /** Measures what is spent from tick to tick, and forgets windows that are over. */
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

  /** Stops to use what is not needed, and names it; not of windows that are asked for now. */
  lowerUnused(asks: readonly LeaseAsk[]): readonly LeaseReturn[] {
    const asked = new Set(asks.map(({ window }) => nameOf(window.counter, window.windowStartMs)))
    const returns: LeaseReturn[] = []
    for (const [name, window] of this.#windows) {
      const { key, counter } = window
      const sum = asked.has(name) ? undefined : counter.findWindow(key.windowStartMs)
      if (sum === undefined) continue
      const staysAhead = !window.isTight && !window.isWanted
      const granted = Math.max(sum.own + sum.held, 0) + (staysAhead ? this.usualNeed(counter, sum) : 0)
      window.isWanted = false
      if (granted >= sum.granted) continue
      sum.granted = granted
      returns.push({ counter: key.counter, windowStartMs: key.windowStartMs, granted })
    }
    return returns
  }
}

function nameOf(counter: string, windowStartMs: number): string {
  return `${windowStartMs} ${counter}`
}
