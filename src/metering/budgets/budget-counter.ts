import type { BudgetWindow } from '../../access/limits/budget-terms.ts'
import type { NanoDollars } from '../../canonical/money.ts'
import { brand } from '../../kit/brand.ts'
import type { CountedAmount, CounterKey } from '../ledger-row.ts'
import type { CounterState } from '../ledger-store.ts'
import { spanAt, type WindowSpan } from './budget-window.ts'
import type { CounterSubject } from './counter-id.ts'
import { ReachedShares } from './reached-shares.ts'
import { addSafely, type HeldAgain, isEmptySum, type PartWindow, type WindowSum } from './window-sum.ts'

/** The sums of one budget. Every use begins with `advanceTo`. */
export class BudgetCounter {
  readonly id: string
  readonly subject: CounterSubject
  readonly shares = new ReachedShares()
  /** The windows that are not over, in no order; some may not have begun. */
  #sums: WindowSum[] = []
  #current: WindowSum | undefined
  /** The key that was asked for last, nearly always the one that is asked for next. */
  #lastKey: CounterKey | undefined
  #nextWindowAtMs = Number.NEGATIVE_INFINITY
  #usedAtMs = Number.NEGATIVE_INFINITY
  #lastEndMs = Number.NEGATIVE_INFINITY
  #spent = 0
  #held = 0
  #holds = 0

  /** The grant of a new window: nothing where other processes share it. */
  readonly #firstGrant: number

  constructor(id: string, subject: CounterSubject, firstGrant = Number.POSITIVE_INFINITY) {
    this.id = id
    this.subject = subject
    this.#firstGrant = firstGrant
  }

  /** The amount spent in the windows that limit now, without what resets gave back. */
  get spent(): number {
    return this.#spent
  }

  /** The window of the last `advanceTo`. */
  get latest(): WindowSum | undefined {
    return this.#current
  }

  /** The sums of all windows that limit now. */
  parts(): readonly WindowSum[] {
    return this.#sums.filter(({ isOpen }) => isOpen)
  }

  /** The moment of the last use. */
  get usedAtMs(): number {
    return this.#usedAtMs
  }

  get held(): number {
    return this.#held
  }

  get holds(): number {
    return this.#holds
  }

  /** The window of this moment, in which a hold is taken. A moment is never before the one of the call before. */
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
        // A part limits for the window's whole length after its own end.
        const { startMs, endMs = startMs } = spanAt(window, nowMs)
        return this.#partFrom(startMs, endMs + window.lengthMs)
      }
      case 'calendar':
      case 'total':
        return this.#windowOf(spanAt(window, nowMs), nowMs)
    }
  }

  /** Loads the sum that the ledger has of a window. */
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

  /** Ends a hold. The actual amount belongs to the window that it was taken in, even if that window is over. */
  settle(sum: WindowSum, { held, amount }: { readonly held: number; readonly amount: number }): void {
    sum.held -= held
    sum.holds -= 1
    sum.spent = addSafely(sum.spent, amount)
    sum.own += amount
    if (!sum.isOpen) return
    this.#held -= held
    this.#holds -= 1
    this.#spent = addSafely(this.#spent, amount)
  }

  /**
   * Turns a part of the spent amount into a hold, to be settled for less; undefined if the window is over. The part
   * that a reset gave back stays spent.
   */
  holdAgain(windowStartMs: number, maxAmount: number): HeldAgain | undefined {
    const sum = this.#sums.find(({ startMs }) => startMs === windowStartMs)
    if (sum === undefined) return undefined
    const amount = Math.max(0, Math.min(maxAmount, sum.spent - sum.resetAmount))
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

  /** Counts an amount that no hold covers. */
  add({ windowStartMs, windowEndMs = Number.POSITIVE_INFINITY }: CounterKey, amount: NanoDollars): void {
    const known = this.#sums.find(({ startMs }) => startMs === windowStartMs)
    const sum = known ?? this.#create(windowStartMs, windowEndMs)
    sum.spent = addSafely(sum.spent, amount)
    sum.own += amount
    this.#nextWindowAtMs = Number.NEGATIVE_INFINITY
  }

  /** Adopts the amount that other processes have spent in a window. */
  adoptOthers({ windowStartMs, windowEndMs = Number.POSITIVE_INFINITY, spent }: CounterState): void {
    const known = this.#sums.find(({ startMs }) => startMs === windowStartMs)
    const sum = known ?? this.#create(windowStartMs, windowEndMs)
    sum.spent = addSafely(sum.own, spent)
    sum.resetAmount = Math.min(sum.resetAmount, Math.max(0, sum.spent))
    this.#nextWindowAtMs = Number.NEGATIVE_INFINITY
  }

  /** The amount that resets gave back in the windows that limit now. */
  get resetAmount(): number {
    return this.parts().reduce((total, sum) => total + sum.resetAmount, 0)
  }

  /** Sets the amount of a window that this process is granted. */
  grant({ windowStartMs, windowEndMs = Number.POSITIVE_INFINITY }: CounterKey, granted: number): WindowSum {
    const sum = this.findWindow(windowStartMs) ?? this.#create(windowStartMs, windowEndMs)
    sum.granted = granted
    return sum
  }

  /** A window that is not over. */
  findWindow(windowStartMs: number): WindowSum | undefined {
    return this.#sums.find(({ startMs }) => startMs === windowStartMs)
  }

  /** Gives back an amount that was spent in a window, so that it can be spent once more. */
  resetSpent(windowStartMs: number, amount: NanoDollars): void {
    const sum = this.#sums.find(({ startMs }) => startMs === windowStartMs)
    if (sum === undefined) return
    sum.resetAmount = Math.min(sum.spent, sum.resetAmount + amount)
    this.shares.restart()
    this.#nextWindowAtMs = Number.NEGATIVE_INFINITY
  }

  /** The amounts that a reset could give back. */
  resettable(): readonly CountedAmount[] {
    return this.#sums
      .filter((sum) => sum.isOpen && sum.spent > sum.resetAmount)
      .map((sum) => ({ ...this.keyOf(sum), amount: brand<NanoDollars>(sum.spent - sum.resetAmount) }))
  }

  /**
   * The time at which enough windows have ended to free an amount; where there are not enough, the end of the last one.
   */
  endOf(amount: number): number {
    const ends = this.#sums.filter(({ isOpen }) => isOpen).sort((one, other) => one.endMs - other.endMs)
    let freed = 0
    for (const sum of ends) {
      freed += sum.spent - sum.resetAmount + sum.held
      if (freed >= amount) return sum.endMs
    }
    return ends.at(-1)?.endMs ?? Number.POSITIVE_INFINITY
  }

  /** Whether forgetting it changes nothing. What is used at this moment may be about to be held. */
  isIdle(nowMs: number): boolean {
    return this.#usedAtMs < nowMs && this.#sums.every((sum) => sum.endMs <= nowMs || isEmptySum(sum))
  }

  /** The ledger's key of one of its windows. */
  keyOf({ startMs, endMs }: WindowSum): CounterKey {
    const known = this.#lastKey
    // The end of a rolling window may have been moved to an earlier time.
    if (known?.windowStartMs === startMs && (known.windowEndMs ?? Number.POSITIVE_INFINITY) === endMs)
      return known
    const windowEndMs = endMs === Number.POSITIVE_INFINITY ? undefined : endMs
    this.#lastKey = { counter: this.id, windowStartMs: startMs, windowEndMs }
    return this.#lastKey
  }

  #forgetEnded(nowMs: number): void {
    const before = this.#sums
    const after: WindowSum[] = []
    for (const sum of before) {
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
    const known = this.#sums.find((sum) => sum.startMs === startMs && sum.endMs === endMs)
    return known ?? this.#create(startMs, endMs)
  }

  /**
   * Ends within one length the windows that a clock which was ahead has begun: what was spent in them counts as spent
   * by now.
   */
  #bringBack(lengthMs: number, nowMs: number): void {
    const latestMs = nowMs + lengthMs
    for (const sum of this.#sums) if (sum.startMs > nowMs && sum.endMs > latestMs) sum.endMs = latestMs
  }

  /** A window that has begun goes on to its end, although another time zone may say otherwise by now. */
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

  /** A window that has not begun limits nothing yet; a part of a rolling one does, since it holds what was spent. */
  #addUp(nowMs: number, isRolling: boolean): void {
    let turnsAtMs = Number.POSITIVE_INFINITY
    let [spent, held, holds] = [0, 0, 0]
    for (const sum of this.#sums) {
      sum.isOpen = isRolling || sum.startMs <= nowMs
      turnsAtMs = Math.min(turnsAtMs, sum.isOpen ? sum.endMs : sum.startMs)
      if (!sum.isOpen) continue
      spent = addSafely(spent, sum.spent - sum.resetAmount)
      held += sum.held
      holds += sum.holds
    }
    this.#nextWindowAtMs = turnsAtMs
    this.#spent = spent
    this.#held = held
    this.#holds = holds
  }
}
