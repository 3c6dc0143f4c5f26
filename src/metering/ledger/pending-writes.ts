import { GatewayError } from '../../canonical/failure.ts'
import type { CounterKey, LedgerSubject } from '../ledger-row.ts'

/** The wait for a durable write, with a deadline. */
interface Waiter {
  readonly endsAtMs: number
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

interface Entry<Item> {
  readonly item: Item
  readonly bytes: number
  /** Undefined where no caller waits, or its wait has ended. */
  waiter: Waiter | undefined
}

/** The items to be written, oldest first. Items of a commit stay here until the commit is confirmed. */
export class PendingWrites<Item> {
  readonly #entries: Entry<Item>[] = []
  #bytes = 0
  /** The number of items in the commit in progress. They are the first items. */
  #inCommit = 0

  get size(): number {
    return this.#entries.length
  }

  get bytes(): number {
    return this.#bytes
  }

  add(item: Item, bytes: number): void {
    this.#push({ item, bytes, waiter: undefined })
  }

  /**
   * Adds an item. The promise is fulfilled when the item is durable, and fails with `ledger_unavailable` at a time of
   * the monotonic clock. An infinite time means no timeout.
   */
  addAwaited(item: Item, bytes: number, endsAtMs: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#push({ item, bytes, waiter: { endsAtMs, resolve, reject } })
    // The request may have ended already. Its rejection must not count as unhandled.
    promise.catch(() => undefined)
    return promise
  }

  find(isWanted: (item: Item) => boolean): Item | undefined {
    return this.#entries.find(({ item }) => isWanted(item))?.item
  }

  /** Returns the oldest items, for a commit. Only one commit is in progress at a time. */
  nextBatch(maxItems: number): readonly Item[] {
    this.#inCommit = Math.min(maxItems, this.#entries.length)
    return this.#entries.slice(0, this.#inCommit).map(({ item }) => item)
  }

  /** Removes the items of the commit, which are durable now. */
  confirm(): void {
    const written = this.#entries.splice(0, this.#inCommit)
    this.#inCommit = 0
    for (const { bytes, waiter } of written) {
      this.#bytes -= bytes
      waiter?.resolve()
    }
  }

  /** Puts back the items of a failed commit. They are first in the next one. */
  putBack(): void {
    this.#inCommit = 0
  }

  /** Ends every wait whose deadline has passed. The items stay. */
  expire(nowMs: number): void {
    for (const entry of this.#entries) {
      if (entry.waiter === undefined || entry.waiter.endsAtMs > nowMs) continue
      entry.waiter.reject(new GatewayError('ledger_unavailable'))
      entry.waiter = undefined
    }
  }

  /** Removes items permanently, and fails the waits for them with `ledger_unavailable`. No item may be in a commit. */
  refuse(isRefused: (item: Item) => boolean): void {
    for (const entry of this.#entries.splice(0)) {
      if (!isRefused(entry.item)) {
        this.#entries.push(entry)
        continue
      }
      this.#bytes -= entry.bytes
      entry.waiter?.reject(new GatewayError('ledger_unavailable'))
    }
  }

  /** Removes items that no caller waits for and that are not in a commit. */
  removeUnawaited(): void {
    const rest = this.#entries.splice(this.#inCommit)
    for (const entry of rest) {
      if (entry.waiter === undefined) this.#bytes -= entry.bytes
      else this.#entries.push(entry)
    }
  }

  /** The next deadline of a wait; undefined where no wait has a deadline. */
  nextExpiryMs(): number | undefined {
    const first = this.#entries.find(({ waiter }) => Number.isFinite(waiter?.endsAtMs))
    return first?.waiter?.endsAtMs
  }

  #push(entry: Entry<Item>): void {
    this.#entries.push(entry)
    this.#bytes += entry.bytes
  }
}

/** The estimated bytes of an object without its strings, and of each counted amount. */
const FIXED_BYTES = 800
const AMOUNT_BYTES = 150

/** Estimates the memory that a waiting row or intent uses. */
export function estimateBytes(subject: LedgerSubject, amounts: readonly CounterKey[]): number {
  const { keyName, userName, group, tags, model, upstreamModel } = subject
  let bytes = FIXED_BYTES + keyName.length + model.length + upstreamModel.length
  bytes += (userName?.length ?? 0) + (group?.length ?? 0)
  for (const name in tags) bytes += name.length + (tags[name]?.length ?? 0)
  return bytes + amounts.length * AMOUNT_BYTES
}
