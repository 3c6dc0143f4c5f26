import type { NanoDollars } from '../canonical/money.ts'
import type { CounterKey, LedgerCheckpoint, LedgerIntent, LedgerRow } from './ledger-row.ts'

/**
 * The writes of one commit: all or nothing. Rows and intents that exist already are not written again, nor is a second
 * correction of a row. An empty batch is a probe: the store makes a write that it does not keep, so that the probe
 * fails where other batches would fail.
 */
export interface LedgerBatch {
  readonly intents: readonly LedgerIntent[]
  readonly checkpoints: readonly LedgerCheckpoint[]
  /**
   * The rows to add. Each row ends the intent with its ID, if there is one, and is added to the sums of usage and to
   * the windows of its budgets.
   */
  readonly rows: readonly LedgerRow[]
}

/** The sum of a budget's window. */
export interface CounterState extends CounterKey {
  readonly spent: NanoDollars
}

/** An intent without a row, and the output tokens of its last checkpoint. */
export interface OpenIntent {
  readonly intent: LedgerIntent
  readonly outputTokens: number
}

/** The state with which a process starts. */
export interface LedgerState {
  /** The counters of the windows that may still be open. */
  readonly counters: readonly CounterState[]
  readonly openIntents: readonly OpenIntent[]
}

/** The store of the ledger. One process owns it at a time. */
export interface LedgerStore {
  load(nowMs: number): Promise<LedgerState>
  /**
   * Makes a batch durable. Fails with `store_unavailable`, or with an `EpochEndedError` that names the intents that can
   * never be written. A failed commit has written nothing.
   */
  commit(batch: LedgerBatch): Promise<void>
}
