import { GatewayError } from '../../canonical/failure.ts'
import type { CounterKey, LedgerSubject } from '../ledger-row.ts'

/** Waits until a write is durable, no longer than until a moment. */
interface Waiter {
  readonly endsAtMs: number
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

interface Entry<Item> {
  readonly item: Item
  readonly bytes: number
  /** Undefined where nobody waits, or nobody does any more. */
  waiter: Waiter | undefined
}

/** The items that wait to be written, the oldest first. Items of a commit stay here until it is confirmed. */
export class PendingWrites<Item> {
  readonly #entries: Entry<Item>[] = []
  #bytes = 0
  /** The number of items, from the first on, in the commit in progress. */
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
   * Fulfilled once the item is durable. Fails with `ledger_unavailable` at a moment of the monotonic clock; an infinite
   * one never comes.
   */
  addAwaited(item: Item, bytes: number, endsAtMs: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#push({ item, bytes, waiter: { endsAtMs, resolve, reject } })
    // A request that has ended meanwhile hears of it no more.
    promise.catch(() => undefined)
    return promise
  }

  find(isWanted: (item: Item) => boolean): Item | undefined {
    return this.#entries.find(({ item }) => isWanted(item))?.item
  }

  /** Gives the oldest items, for a commit; one commit is under way at a time. */
  nextBatch(maxItems: number): readonly Item[] {
    this.#inCommit = Math.min(maxItems, this.#entries.length)
    return this.#entries.slice(0, this.#inCommit).map(({ item }) => item)
  }

  /** Removes the items of the commit, which are durable. */
  confirm(): void {
    const written = this.#entries.splice(0, this.#inCommit)
    this.#inCommit = 0
    for (const { bytes, waiter } of written) {
      this.#bytes -= bytes
      waiter?.resolve()
    }
  }

  /** Puts back the items of a commit that wrote nothing: they are the first of the next one. */
  putBack(): void {
    this.#inCommit = 0
  }

  /** Ends every wait that is over; the items stay. */
  expire(nowMs: number): void {
    for (const entry of this.#entries) {
      if (entry.waiter === undefined || entry.waiter.endsAtMs > nowMs) continue
      entry.waiter.reject(new GatewayError('ledger_unavailable'))
      entry.waiter = undefined
    }
  }

  /** Removes items for good, and fails the waits for them with `ledger_unavailable`; none is in a commit. */
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

  /** Removes what nobody waits for and is in no commit. */
  removeUnawaited(): void {
    const rest = this.#entries.splice(this.#inCommit)
    for (const entry of rest) {
      if (entry.waiter === undefined) this.#bytes -= entry.bytes
      else this.#entries.push(entry)
    }
  }

  /** The time at which the first wait ends; undefined where none ends. */
  nextExpiryMs(): number | undefined {
    const first = this.#entries.find(({ waiter }) => Number.isFinite(waiter?.endsAtMs))
    return first?.waiter?.endsAtMs
  }

  #push(entry: Entry<Item>): void {
    this.#entries.push(entry)
    this.#bytes += entry.bytes
  }
}

/** The bytes of an object with this many fields beside its texts, and of each counted amount. */
const FIXED_BYTES = 800
const AMOUNT_BYTES = 150

/** Estimates the memory that a row or an intent takes while it waits. */
export function estimateBytes(subject: LedgerSubject, amounts: readonly CounterKey[]): number {
  const { keyName, userId, group, tags, model, upstreamModel } = subject
  let bytes = FIXED_BYTES + keyName.length + model.length + upstreamModel.length
  bytes += (userId?.length ?? 0) + (group?.length ?? 0)
  for (const name in tags) bytes += name.length + (tags[name]?.length ?? 0)
  return bytes + amounts.length * AMOUNT_BYTES
}
