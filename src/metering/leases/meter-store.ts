import type { Branded } from '../../kit/brand.ts'
import type { CounterKey } from '../ledger-row.ts'
import type { CounterState } from '../ledger-store.ts'

/**
 * The number of one life of a process that shares budgets with others. A process that dies or stalls loses it, and with
 * it all that it was leased; it may begin another.
 */
export type Epoch = Branded<number, 'Epoch'>

/** A request for a part of what is left of one budget. Amounts are nano-dollars. */
export interface LeaseAsk {
  /** The window in which the hold is to be taken. */
  readonly window: CounterKey
  /** Whether windows that begin later count as well, as the parts of a rolling window do. */
  readonly isRolling: boolean
  /** The most that all windows that count may come to: the limit, and what resets gave back. */
  readonly ceiling: number
  /** The amount that the hold lacks. */
  readonly needed: number
  /** The least amount that is of use where what is needed is not there. */
  readonly minimum: number
  /** An amount beyond the needed one that recent use makes likely to be needed next. */
  readonly ahead: number
}

/** The lease of an epoch on one window, as the store has it once it has answered. */
export interface Lease {
  readonly counter: string
  readonly windowStartMs: number
  /** All that the epoch was granted of the window so far, with what it has spent of it. */
  readonly granted: number
  /** The amount that all others have spent of the window. */
  readonly spentByOthers: number
  /** The amount that others were granted and have not spent: it may come back. */
  readonly grantedToOthers: number
  /** The amount that is left for anybody after this. */
  readonly left: number
}

/** A lease that is lowered to this amount. Its owner has stopped to use what is above it. */
export interface LeaseReturn {
  readonly counter: string
  readonly windowStartMs: number
  readonly granted: number
}

export interface LeaseOrder {
  readonly asks: readonly LeaseAsk[]
  readonly returns: readonly LeaseReturn[]
}

/**
 * The store by which processes share budgets: in a database, or in the process that owns the files, asked over a local
 * socket. All that goes in and out is plain data. Every method fails with `store_unavailable`, and with
 * `EpochEndedError` where another process has ended the epoch. A store counts as granted what it may have granted: a
 * process whose answer was lost asks again and learns of it.
 */
export interface MeterStore {
  /** Grants and takes back, all in one step. The leases come in the order of asks, then of returns. */
  lease(epoch: Epoch, order: LeaseOrder): Promise<readonly Lease[]>
  /** The sums that others than the epoch have spent of these counters' windows. */
  readOthers(epoch: Epoch, counters: readonly string[]): Promise<readonly CounterState[]>
}
