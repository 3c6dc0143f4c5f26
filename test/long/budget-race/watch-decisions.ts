import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { CounterKey } from '../../../src/metering/ledger-row.ts'
import type { BudgetDecision, WorstCase } from '../../../src/metering/meter.ts'

const CHANNEL = 'headgate.budget'
const MILLION = 1_000_000n

export interface WatchedDecisions extends Disposable {
  readonly wrong: readonly string[]
  readonly held: number
  readonly refused: number
  /** Nano-dollars, of all windows. */
  readonly stillHeld: bigint
  /** Every window has this limit, in nano-dollars. Until it is said, nothing is judged. */
  limit: bigint
}

interface Window {
  spent: bigint
  held: bigint
}

/** Adds up the decisions of the gateways that are started from now on, and judges each. */
export function watchDecisions(): WatchedDecisions {
  const watcher = new DecisionWatcher()
  const listen = (message: unknown) => watcher.judge(message as BudgetDecision)
  subscribe(CHANNEL, listen)
  return Object.assign(watcher, { [Symbol.dispose]: () => void unsubscribe(CHANNEL, listen) })
}

class DecisionWatcher {
  readonly #windows = new Map<string, Window>()
  readonly wrong: string[] = []
  limit = 0n
  held = 0
  refused = 0

  get stillHeld(): bigint {
    return [...this.#windows.values()].reduce((sum, { held }) => sum + held, 0n)
  }

  judge(decision: BudgetDecision): void {
    switch (decision.type) {
      case 'held':
        this.held += 1
        for (const amount of decision.amounts) this.#hold(amount, BigInt(amount.amount))
        return
      case 'refused':
        this.refused += 1
        this.#refuse(decision.windows, minAmountOf(decision.worst))
        return
      case 'settled':
        for (const amount of decision.held) this.#windowOf(amount).held -= BigInt(amount.amount)
        for (const amount of decision.counted) this.#spend(amount, BigInt(amount.amount))
        return
      case 'corrected':
        for (const amount of decision.counted) this.#spend(amount, BigInt(amount.amount))
    }
  }

  #hold(key: CounterKey, amount: bigint): void {
    const window = this.#windowOf(key)
    window.held += amount
    this.#check(key, window)
  }

  #spend(key: CounterKey, amount: bigint): void {
    const window = this.#windowOf(key)
    window.spent += amount
    this.#check(key, window)
  }

  #check({ counter }: CounterKey, { spent, held }: Window): void {
    if (spent + held > this.limit) this.wrong.push(`${counter} has ${spent} spent and ${held} held`)
    if (held < 0n) this.wrong.push(`${counter} holds ${held}`)
  }

  #refuse(windows: readonly CounterKey[], minAmount: bigint): void {
    const isFull = windows.some((key) => {
      const { spent, held } = this.#windowOf(key)
      return spent + held + minAmount > this.limit
    })
    if (!isFull) this.wrong.push(`refused, although ${minAmount} fit into every budget`)
  }

  #windowOf({ counter, windowStartMs }: CounterKey): Window {
    const id = `${counter} ${windowStartMs}`
    const window = this.#windows.get(id) ?? { spent: 0n, held: 0n }
    this.#windows.set(id, window)
    return window
  }
}

/** The least that must fit, in nano-dollars, rounded up: with the cap of the request, or as low as it may be made. */
function minAmountOf({ fixed, outputRate, maxOutputTokens = 0, minOutput, canClamp }: WorstCase): bigint {
  const tokens = BigInt(canClamp ? Math.min(maxOutputTokens, minOutput) : maxOutputTokens)
  return BigInt(fixed) + (tokens * BigInt(outputRate) + MILLION - 1n) / MILLION
}
