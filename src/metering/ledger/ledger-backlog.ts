import type { LedgerRowId } from '../../kit/random/ids.ts'
import type { LedgerIntent, LedgerRow } from '../ledger-row.ts'
import type { LedgerBatch } from '../ledger-store.ts'
import { LiveAnswers } from './live-answers.ts'
import { estimateBytes, PendingWrites } from './pending-writes.ts'

/** A bound, so that one commit does not block the event loop after the store was unavailable. */
const MAX_ROWS_IN_COMMIT = 2_000
/**
 * The bounds from which a new row without an intent is dropped. Rows with an intent are never dropped, since the number
 * of intents is bounded.
 */
const MAX_WAITING_ROWS = 20_000
const MAX_WAITING_BYTES = 32 * 1024 ** 2
/** The number of open intents from which new intents fail at once while the store is unavailable. */
const MAX_OPEN_INTENTS = 20_000

/** Intents and rows that wait for the ledger's store, and the answers that are checkpointed. */
export class LedgerBacklog {
  readonly answers = new LiveAnswers()
  readonly #intents = new PendingWrites<LedgerIntent>()
  readonly #rows = new PendingWrites<LedgerRow>()
  /** Intents that the store may have, without their rows. */
  readonly #open = new Set<LedgerRowId>()

  get isEmpty(): boolean {
    return this.#rows.size + this.#intents.size === 0
  }

  get waitingRows(): number {
    return this.#rows.size
  }

  /** Whether another intent fits while the store is unavailable. */
  get hasRoomForIntent(): boolean {
    return this.#open.size + this.#intents.size < MAX_OPEN_INTENTS
  }

  hasRoomFor({ id }: LedgerRow): boolean {
    if (this.#open.has(id)) return true
    return this.#rows.size < MAX_WAITING_ROWS && this.#rows.bytes < MAX_WAITING_BYTES
  }

  /** Whether the intent is in the commit in progress, or in an earlier one. */
  isCommitted(id: LedgerRowId): boolean {
    return this.#open.has(id)
  }

  /**
   * Adds an intent. The promise is fulfilled when the intent is durable, and fails with `ledger_unavailable` at this
   * time of the monotonic clock.
   */
  addIntent(intent: LedgerIntent, endsAtMs: number): Promise<void> {
    return this.#intents.addAwaited(intent, estimateBytes(intent, intent.held), endsAtMs)
  }

  addRow(row: LedgerRow): void {
    this.#rows.add(row, estimateBytes(row, row.counted))
  }

  /** Adds a row, with the same promise as `addIntent`. */
  addAwaitedRow(row: LedgerRow, endsAtMs: number): Promise<void> {
    return this.#rows.addAwaited(row, estimateBytes(row, row.counted), endsAtMs)
  }

  findRow(id: LedgerRowId): LedgerRow | undefined {
    return this.#rows.find((row) => row.id === id)
  }

  /** The next commit: all intents, and the rows and checkpoints that are due. Undefined if it would be empty. */
  nextBatch(due: { readonly rows: boolean; readonly checkpoints: boolean }): LedgerBatch | undefined {
    const intents = this.#intents.nextBatch(Number.POSITIVE_INFINITY)
    const rows = due.rows ? this.#rows.nextBatch(MAX_ROWS_IN_COMMIT) : []
    const checkpoints = due.checkpoints ? this.answers.readCheckpoints() : []
    for (const { id } of intents) this.#open.add(id)
    if (intents.length + rows.length + checkpoints.length === 0) return undefined
    return { intents, checkpoints, rows }
  }

  /** Called when a batch is durable. Returns whether it was full, so that more rows may wait for the next batch. */
  confirm({ checkpoints, rows }: LedgerBatch): boolean {
    this.#intents.confirm()
    this.#rows.confirm()
    if (checkpoints.length > 0) this.answers.confirm()
    for (const { id } of rows) this.#open.delete(id)
    return rows.length === MAX_ROWS_IN_COMMIT
  }

  /** Returns the batch that was not written to the queue, except for intents whose wait has ended. */
  putBack(): void {
    this.#intents.putBack()
    this.#rows.putBack()
    this.#intents.removeUnawaited()
  }

  /** Gives up some intents of the batch that was not written, and returns the rest to the queue. */
  refuseIntents(ids: readonly LedgerRowId[]): void {
    this.putBack()
    const refused = new Set(ids)
    this.#intents.refuse(({ id }) => refused.has(id))
    for (const id of ids) this.#open.delete(id)
  }

  /** Ends the waits whose deadline has passed. Returns the next deadline. */
  expire(nowMs: number): number | undefined {
    this.#intents.expire(nowMs)
    this.#intents.removeUnawaited()
    this.#rows.expire(nowMs)
    const limits = [this.#intents.nextExpiryMs(), this.#rows.nextExpiryMs()].filter((at) => at !== undefined)
    return limits.length === 0 ? undefined : Math.min(...limits)
  }

  /** Ends all waits. */
  endWaits(): void {
    this.#intents.expire(Number.POSITIVE_INFINITY)
    this.#rows.expire(Number.POSITIVE_INFINITY)
  }
}
