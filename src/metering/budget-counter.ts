import type { BudgetWindow } from '../access/limits/budget-terms.ts'
import { spanAt, type WindowSpan } from './budget-window.ts'
import type { CounterKey } from './ledger-row.ts'

/** What one window has come to, in nano-dollars. */
export interface WindowSum extends WindowSpan {
  spent: number
  held: number
  /** Holds that are not settled. */
  holds: number
  /** The highest share of which operators were warned, in percent. */
  warnedAt: number
}

/** What a budget adds up: one window after the other, or the parts of a rolling one. */
export class BudgetCounter {
  readonly id: string
  readonly window: BudgetWindow
  readonly #sums = new Map<number, WindowSum>()

  constructor(id: string, window: BudgetWindow) {
    this.id = id
    this.window = window
  }

  /** The window of this moment, in which a hold is taken. */
  current(nowMs: number): WindowSum {
    const { startMs, endMs } = spanAt(this.window, nowMs)
    const known = this.#sums.get(startMs)
    if (known !== undefined) return known
    this.forgetEnded(nowMs)
    const sum: WindowSum = { startMs, endMs, spent: 0, held: 0, holds: 0, warnedAt: 0 }
    this.#sums.set(startMs, sum)
    return sum
  }

  /** What limits a request now: of a rolling window, of all its parts. */
  read(nowMs: number): Pick<WindowSum, 'spent' | 'held' | 'holds'> {
    if (this.window.type !== 'rolling') return this.current(nowMs)
    const total = { spent: 0, held: 0, holds: 0 }
    for (const sum of this.#sums.values()) {
      if (this.#isOver(sum, nowMs)) continue
      total.spent += sum.spent
      total.held += sum.held
      total.holds += sum.holds
    }
    return total
  }

  /** Undefined: never. Of a rolling window, when the first of what is spent leaves it. */
  resetsAtMs(nowMs: number): number | undefined {
    if (this.window.type !== 'rolling') return this.current(nowMs).endMs
    const { lengthMs } = this.window
    const ends = [...this.#sums.values()]
      .filter((sum) => sum.spent + sum.held > 0 && !this.#isOver(sum, nowMs))
      .map(({ endMs = 0 }) => endMs + lengthMs)
    return ends.length === 0 ? nowMs : Math.min(...ends)
  }

  /** Takes over what the ledger has of a window. */
  load(sum: WindowSpan & { readonly spent: number }): void {
    const { startMs, endMs, spent } = sum
    this.#sums.set(startMs, { startMs, endMs, spent, held: 0, holds: 0, warnedAt: 0 })
  }

  /** Windows that limit nothing any more and hold nothing. True where none is left. */
  forgetEnded(nowMs: number): boolean {
    for (const [startMs, sum] of this.#sums)
      if (sum.holds === 0 && this.#isOver(sum, nowMs)) this.#sums.delete(startMs)
    return this.#sums.size === 0
  }

  /** How the ledger calls a window of it. */
  keyOf({ startMs, endMs }: WindowSpan): CounterKey {
    return { counter: this.id, windowStartMs: startMs, windowEndMs: this.#limitsUntilMs(endMs) }
  }

  #isOver({ endMs }: WindowSpan, nowMs: number): boolean {
    const untilMs = this.#limitsUntilMs(endMs)
    return untilMs !== undefined && nowMs >= untilMs
  }

  /** A part of a rolling window limits for the window's whole length after its own end. */
  #limitsUntilMs(endMs: number | undefined): number | undefined {
    if (endMs === undefined) return undefined
    return this.window.type === 'rolling' ? endMs + this.window.lengthMs : endMs
  }
}
