import type { NanoDollars } from '../../canonical/money.ts'
import { brand } from '../../kit/brand.ts'
import type { CountedAmount } from '../ledger-row.ts'
import type { BudgetCorrection } from '../meter.ts'
import type { BudgetCounter } from './budget-counter.ts'
import type { CounterTable } from './counter-table.ts'
import type { HeldAgain, WindowSum } from './window-sum.ts'

export interface LiveCorrectionOptions {
  readonly counters: CounterTable
  /** The current time. It decides which windows have ended and therefore no longer change. */
  readonly nowMs: number
  /** Called for each counter that has changed. */
  readonly onChanged: (counter: BudgetCounter) => void
  /** Called for each window of which an amount was taken back. */
  readonly onReduced: ((counter: BudgetCounter, sum: WindowSum) => void) | undefined
  readonly onEnded: (counted: readonly CountedAmount[]) => void
}

interface Part {
  readonly counted: CountedAmount
  /** The hold of a reduction; undefined for an addition, and for a window that has ended. */
  readonly again: (HeldAgain & { readonly counter: BudgetCounter }) | undefined
}

/**
 * A correction in progress. A reduction is held until its row is durable. If it were freed earlier, a crash could leave
 * rows that exceed a limit. An addition is counted once its row is durable.
 */
export class LiveCorrection implements BudgetCorrection {
  readonly counted: readonly CountedAmount[]
  readonly #options: LiveCorrectionOptions
  readonly #parts: readonly Part[]

  constructor(differences: readonly CountedAmount[], options: LiveCorrectionOptions) {
    this.#options = options
    this.#parts = differences.map((each) => this.#begin(each))
    this.counted = this.#parts.map(({ counted }) => counted)
  }

  end(isDurable: boolean): void {
    for (const { counted, again } of this.#parts) {
      if (again !== undefined) {
        const { counter, sum, amount } = again
        counter.settle(sum, { held: amount, amount: isDurable ? 0 : amount })
        this.#options.onChanged(counter)
        if (isDurable) this.#options.onReduced?.(counter, sum)
      } else if (isDurable && counted.amount > 0) this.#add(counted)
    }
    if (isDurable) this.#options.onEnded(this.counted)
  }

  #begin(counted: CountedAmount): Part {
    const counter = counted.amount < 0 ? this.#options.counters.findById(counted.counter) : undefined
    const again = counter?.holdAgain(counted.windowStartMs, -counted.amount)
    if (counter === undefined || again === undefined) return { counted, again: undefined }
    const amount = brand<NanoDollars>(again.amount === 0 ? 0 : -again.amount)
    return { counted: { ...counted, amount }, again: { ...again, counter } }
  }

  #add({ amount, ...key }: CountedAmount): void {
    const { counters, nowMs, onChanged } = this.#options
    if ((key.windowEndMs ?? Number.POSITIVE_INFINITY) <= nowMs) return
    const counter = counters.findById(key.counter)
    if (counter === undefined) {
      counters.load({ ...key, spent: amount })
      return
    }
    counter.add(key, amount)
    onChanged(counter)
  }
}
