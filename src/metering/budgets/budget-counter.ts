import type { BudgetWindow } from '../../access/limits/budget-terms.ts'
import type { NanoDollars } from '../../canonical/money.ts'
import type { CounterKey } from '../ledger-row.ts'
import type { CounterState } from '../ledger-store.ts'
import { spanAt, type WindowSpan } from './budget-window.ts'
import type { CounterSubject } from './counter-id.ts'
import { ReachedShares } from './reached-shares.ts'
import {
  addSafely,
  describeReset,
  endOfFreed,
  type HeldAgain,
  isEmptySum,
  netSpentOf,
  type PartWindow,
  type ResettableWindow,
  type WindowSum,
} from './window-sum.ts'

/** The sums of one budget. Every use starts with a call to `advanceTo`. */
export class BudgetCounter {
  readonly id: string
  readonly subject: CounterSubject
  readonly shares = new ReachedShares()
  /** The windows that have not ended, in no order. Some may not have begun. */
  #sums: WindowSum[] = []
  #current: WindowSum | undefined
  /** The last key that `keyOf` returned. The next call nearly always asks for the same one. */
  #lastKey: CounterKey | undefined
  #nextWindowAtMs = Number.NEGATIVE_INFINITY
  #usedAtMs = Number.NEGATIVE_INFINITY
  #lastEndMs = Number.NEGATIVE_INFINITY
  #spent = 0
  #held = 0
  #holds = 0

  /** The amount granted in a new window. Zero where other processes share the window. */
  readonly #firstGrant: number

  constructor(id: string, subject: CounterSubject, firstGrant = Number.POSITIVE_INFINITY) {
    this.id = id
    this.subject = subject
    this.#firstGrant = firstGrant
  }

  /** The amount spent in the open windows, without the amount that resets gave back. */
  get spent(): number {
    return this.#spent
  }

  /** The window that the last `advanceTo` returned. */
  get latest(): WindowSum | undefined {
    return this.#current
  }

  /** The sums of all open windows. */
  parts(): readonly WindowSum[] {
    return this.#sums.filter(({ isOpen }) => isOpen)
  }

  /** The time of the last use. */
  get usedAtMs(): number {
    return this.#usedAtMs
  }

  get held(): number {
    return this.#held
  }

  get holds(): number {
    return this.#holds
  }

  /**
   * Returns the window for this time, in which holds are placed. The time must not be before that of the previous call.
   */
  advanceTo(window: BudgetWindow | PartWindow, nowMs: number): WindowSum {
    this.#usedAtMs = nowMs
    const isOther = window.type === 'part' && window.startMs !== this.#current?.startMs
    if (this.#current !== undefined && nowMs < this.#nextWindowAtMs && !isOther) return this.#current
    this.#forgetEnded(nowMs)
    const isRolling = window.type === 'rolling'
    if (isRolling) this.#bringBack(window.lengthMs, nowMs)
    const current = this.#findCurrent(window, nowMs)
    this.#current = current
    this.#addUp(nowMs, isRolling)
    if (isRolling) this.#nextWindowAtMs = Math.min(this.#nextWindowAtMs, spanAt(window, nowMs).endMs ?? nowMs)
    return current
  }

  #findCurrent(window: BudgetWindow | PartWindow, nowMs: number): WindowSum {
    switch (window.type) {
      case 'part':
        return this.#partFrom(window.startMs, Number.POSITIVE_INFINITY)
      case 'rolling': {
        // A part still limits for the full length of the window after its own end.
        const { startMs, endMs = startMs } = spanAt(window, nowMs)
        return this.#partFrom(startMs, endMs + window.lengthMs)
      }
      case 'calendar':
      case 'total':
        return this.#windowOf(spanAt(window, nowMs), nowMs)
    }
  }

  /** Loads the sum of a window from the ledger. */
  load({ windowStartMs, windowEndMs, spent }: CounterState): void {
    this.#create(windowStartMs, windowEndMs ?? Number.POSITIVE_INFINITY).spent = spent
    this.#nextWindowAtMs = Number.NEGATIVE_INFINITY
    this.shares.adoptNext()
  }

  hold(sum: WindowSum, amount: number): void {
    sum.held += amount
    sum.holds += 1
    this.#held += amount
    this.#holds += 1
  }

  /** Ends a hold. The actual amount is counted in the window of the hold, even if that window has ended. */
  settle(sum: WindowSum, { held, amount }: { readonly held: number; readonly amount: number }): void {
    sum.held -= held
    sum.holds -= 1
    const spentBefore = netSpentOf(sum)
    sum.spent = addSafely(sum.spent, amount)
    sum.own += amount
    if (!sum.isOpen) return
    this.#held -= held
    this.#holds -= 1
    this.#spent = addSafely(this.#spent, netSpentOf(sum) - spentBefore)
  }

  /**
   * Turns a part of the spent amount into a hold, to be settled for less. Undefined if the window has ended. The part
   * that a reset gave back stays spent.
   */
  holdAgain(windowStartMs: number, maxAmount: number): HeldAgain | undefined {
    const sum = this.#sums.find(({ startMs }) => startMs === windowStartMs)
    if (sum === undefined) return undefined
    const amount = Math.max(0, Math.min(maxAmount, netSpentOf(sum)))
    sum.spent -= amount
    sum.own -= amount
    sum.held += amount
    sum.holds += 1
    if (sum.isOpen) {
      this.#spent -= amount
      this.#held += amount
      this.#holds += 1
    }
    return { sum, amount }
  }

  /** Counts an amount without a hold. */
  add({ windowStartMs, windowEndMs = Number.POSITIVE_INFINITY }: CounterKey, amount: NanoDollars): void {
    const existing = this.#sums.find(({ startMs }) => startMs === windowStartMs)
    const sum = existing ?? this.#create(windowStartMs, windowEndMs)
    sum.spent = addSafely(sum.spent, amount)
    sum.own += amount
    this.#nextWindowAtMs = Number.NEGATIVE_INFINITY
  }

  /** Sets the amount that other processes have spent in a window. */
  adoptOthers({ windowStartMs, windowEndMs = Number.POSITIVE_INFINITY, spent }: CounterState): void {
    const existing = this.#sums.find(({ startMs }) => startMs === windowStartMs)
    const sum = existing ?? this.#create(windowStartMs, windowEndMs)
    sum.spent = addSafely(sum.own, spent)
    this.#nextWindowAtMs = Number.NEGATIVE_INFINITY
  }

  /** The amount that resets gave back in the open windows. */
  get resetAmount(): number {
    return this.parts().reduce((total, sum) => total + sum.resetAmount, 0)
  }

  /** Sets the amount that this process is granted in a window. */
  grant({ windowStartMs, windowEndMs = Number.POSITIVE_INFINITY }: CounterKey, granted: number): WindowSum {
    const sum = this.findWindow(windowStartMs) ?? this.#create(windowStartMs, windowEndMs)
    sum.granted = granted
    return sum
  }

  /** Finds a window that has not ended. */
  findWindow(windowStartMs: number): WindowSum | undefined {
    return this.#sums.find(({ startMs }) => startMs === windowStartMs)
  }

  /** Gives back an amount that was spent in a window, perhaps by another process and before this one used it. */
  resetSpent(
    { windowStartMs, windowEndMs = Number.POSITIVE_INFINITY }: CounterKey,
    amount: NanoDollars,
  ): void {
    const sum = this.findWindow(windowStartMs) ?? this.#create(windowStartMs, windowEndMs)
    sum.resetAmount = addSafely(sum.resetAmount, amount)
    this.shares.restart()
    this.#nextWindowAtMs = Number.NEGATIVE_INFINITY
  }

  /** The windows of which a reset would give something back. */
  resettable(): readonly ResettableWindow[] {
    const spent = this.parts().filter((sum) => netSpentOf(sum) > 0)
    return spent.map((sum) => describeReset(sum, this.keyOf(sum)))
  }

  /** The time at which enough windows have ended to free an amount. */
  endOf(amount: number): number {
    return endOfFreed(this.parts(), amount)
  }

  /**
   * Whether the counter can be removed without loss. A counter that is used at this very moment may be about to get a
   * hold.
   */
  isIdle(nowMs: number): boolean {
    return this.#usedAtMs < nowMs && this.#sums.every((sum) => sum.endMs <= nowMs || isEmptySum(sum))
  }

  /** The ledger's key of a window of this counter. */
  keyOf({ startMs, endMs }: WindowSum): CounterKey {
    const lastKey = this.#lastKey
    // The end of a rolling window may have been moved to an earlier time.
    if (lastKey?.windowStartMs === startMs && (lastKey.windowEndMs ?? Number.POSITIVE_INFINITY) === endMs)
      return lastKey
    const windowEndMs = endMs === Number.POSITIVE_INFINITY ? undefined : endMs
    this.#lastKey = { counter: this.id, windowStartMs: startMs, windowEndMs }
    return this.#lastKey
  }

  #forgetEnded(nowMs: number): void {
    const previousSums = this.#sums
    const after: WindowSum[] = []
    for (const sum of previousSums) {
      if (sum.endMs > nowMs && !isEmptySum(sum)) {
        after.push(sum)
        continue
      }
      sum.isOpen = false
      if (sum.endMs <= nowMs) this.#lastEndMs = Math.max(this.#lastEndMs, sum.endMs)
    }
    this.#sums = after
  }

  #partFrom(startMs: number, endMs: number): WindowSum {
    const existing = this.#sums.find((sum) => sum.startMs === startMs && sum.endMs === endMs)
    return existing ?? this.#create(startMs, endMs)
  }

  /**
   * Shortens windows that began while the clock was ahead, so that they end within one window length. Their amounts
   * count as spent now.
   */
  #bringBack(lengthMs: number, nowMs: number): void {
    const latestMs = nowMs + lengthMs
    for (const sum of this.#sums) if (sum.startMs > nowMs && sum.endMs > latestMs) sum.endMs = latestMs
  }

  /** A window that has begun lasts until its end, even if the time zone has changed since. */
  #windowOf({ startMs, endMs = Number.POSITIVE_INFINITY }: WindowSpan, nowMs: number): WindowSum {
    const begun = this.#sums.filter((sum) => sum.startMs <= nowMs)
    if (begun.length === 0) return this.#create(Math.max(startMs, this.#lastEndMs), endMs)
    return begun.reduce((latest, sum) => (sum.startMs > latest.startMs ? sum : latest))
  }

  #create(startMs: number, endMs: number): WindowSum {
    const sum: WindowSum = {
      startMs,
      endMs,
      spent: 0,
      resetAmount: 0,
      held: 0,
      holds: 0,
      isOpen: false,
      granted: this.#firstGrant,
      own: 0,
    }
    this.#sums.push(sum)
    return sum
  }

  /**
   * Adds up the open windows. A window that has not begun limits nothing yet. A part of a rolling window always does,
   * since its amount was already spent.
   */
  #addUp(nowMs: number, isRolling: boolean): void {
    let turnsAtMs = Number.POSITIVE_INFINITY
    let [spent, held, holds] = [0, 0, 0]
    for (const sum of this.#sums) {
      sum.isOpen = isRolling || sum.startMs <= nowMs
      turnsAtMs = Math.min(turnsAtMs, sum.isOpen ? sum.endMs : sum.startMs)
      if (!sum.isOpen) continue
      spent = addSafely(spent, netSpentOf(sum))
      held += sum.held
      holds += sum.holds
    }
    this.#nextWindowAtMs = turnsAtMs
    this.#spent = spent
    this.#held = held
    this.#holds = holds
  }
}
