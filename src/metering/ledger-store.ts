import type { NanoDollars } from '../canonical/money.ts'
import type { CounterKey, LedgerCheckpoint, LedgerIntent, LedgerRow } from './ledger-row.ts'

/**
 * The writes of one commit: all or nothing. Rows and intents that are there already are not written twice, nor is a
 * second correction of a row. An empty batch is a probe: the store writes for it too, so that it fails where others
 * would, and keeps nothing.
 */
export interface LedgerBatch {
  readonly intents: readonly LedgerIntent[]
  readonly checkpoints: readonly LedgerCheckpoint[]
  /**
   * Each ends the intent of its id, where there is one, and is added to the sums of usage and to its budgets' windows.
   */
  readonly rows: readonly LedgerRow[]
}

/** The sum of a budget's window. */
export interface CounterState extends CounterKey {
  readonly spent: NanoDollars
}

/** An intent without a row, and how far its answer had come. */
export interface OpenIntent {
  readonly intent: LedgerIntent
  readonly outputTokens: number
}

/** The state that a process starts from. */
export interface LedgerState {
  /** The counters of the windows that may still be open. */
  readonly counters: readonly CounterState[]
  readonly openIntents: readonly OpenIntent[]
}

/** The store of the ledger. One process owns it. */
export interface LedgerStore {
  load(nowMs: number): Promise<LedgerState>
  /**
   * Makes a batch durable. Fails with `store_unavailable`, or with an `EpochEndedError` that names the intents that
   * can never be written; it has then written nothing.
   */
  commit(batch: LedgerBatch): Promise<void>
}
