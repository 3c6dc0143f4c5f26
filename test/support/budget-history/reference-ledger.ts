import type { CountedAmount, CounterKey } from '../../../src/metering/ledger-row.ts'
import type { CounterState } from '../../../src/metering/ledger-store.ts'
import { nano } from '../ledger-row.ts'

interface ReferenceSum extends CounterKey {
  spent: number
  resetAmount: number
}

/** The sums of all rows by window, as the ledger has them. */
export class ReferenceLedger {
  readonly #sums = new Map<string, ReferenceSum>()

  add(counted: readonly CountedAmount[]): void {
    for (const { amount, ...key } of counted) this.#of(key).spent += amount
  }

  forgive(key: CounterKey, amount: number): void {
    this.#of(key).resetAmount += amount
  }

  /** The state that a process starts from, by the rule of the store. */
  openAt(nowMs: number): readonly CounterState[] {
    return [...this.#sums.values()]
      .filter(({ windowEndMs = Number.POSITIVE_INFINITY }) => windowEndMs > nowMs)
      .map(({ counter, windowStartMs, windowEndMs, spent }) => {
        return { counter, windowStartMs, windowEndMs, spent: nano(spent) }
      })
  }

  /** The amount that limits requests at a moment, without what resets gave back. */
  spentAt(counter: string, nowMs: number): number {
    let spent = 0
    for (const sum of this.#sums.values()) {
      const { windowStartMs, windowEndMs = Number.POSITIVE_INFINITY } = sum
      if (sum.counter === counter && windowStartMs <= nowMs && nowMs < windowEndMs)
        spent += sum.spent - sum.resetAmount
    }
    return spent
  }

  #of({ counter, windowStartMs, windowEndMs }: CounterKey): ReferenceSum {
    const id = `${windowStartMs} ${counter}`
    const known = this.#sums.get(id)
    if (known !== undefined) return known
    const sum = { counter, windowStartMs, windowEndMs, spent: 0, resetAmount: 0 }
    this.#sums.set(id, sum)
    return sum
  }
}
