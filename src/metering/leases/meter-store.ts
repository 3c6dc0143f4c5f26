import type { BudgetId } from '../budget.ts'
import type { CounterKey } from '../ledger-row.ts'
import type { CounterState } from '../ledger-store.ts'
import type { Epoch } from './epoch.ts'

/** A request for a part of the remaining amount of one budget. Amounts are in nano-dollars. */
export interface LeaseAsk {
  /** The window in which the amount will be held. */
  readonly window: CounterKey
  /** Whether windows that begin later are counted too, like the parts of a rolling window. */
  readonly isRolling: boolean
  /** The maximum for all counted windows together: the limit plus the amount that resets gave back. */
  readonly ceiling: number
  /** The amount that the hold still lacks. */
  readonly needed: number
  /** The smallest useful amount, if the needed amount is not available. */
  readonly minimum: number
  /** An amount to lease in addition to `needed`, since recent use makes it likely to be needed next. */
  readonly ahead: number
}

/** The lease of an epoch on one window, in its state after the store's answer. */
export interface Lease {
  readonly counter: string
  readonly windowStartMs: number
  /** The total that the epoch was granted in the window so far, including the amount that it has spent. */
  readonly granted: number
  /** The amount that all other epochs have spent in the window. */
  readonly spentByOthers: number
  /** The amount that other epochs were granted and have not spent. They may give it back. */
  readonly grantedToOthers: number
  /** The amount that any process can still lease after this order. */
  readonly left: number
}

/** A lease to be lowered to this amount. Its owner no longer uses the amount above it. */
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
 * The store through which processes share budgets. It is a database, or it is in the process that owns the files, which
 * is called over a local socket. All parameters and results are plain data. Every method fails with
 * `store_unavailable`, and with `EpochEndedError` if another process has ended the epoch. An amount is granted even if
 * the answer was lost: the process asks again and then learns of it.
 */
export interface MeterStore {
  /** Processes asks and returns in one step. The result has the leases of the asks first, then those of the returns. */
  lease(epoch: Epoch, order: LeaseOrder): Promise<readonly Lease[]>
  /** The sums that other epochs have spent in the windows of these counters. */
  readOthers(epoch: Epoch, counters: readonly string[]): Promise<readonly CounterState[]>
  /** The counters of a budget's values with the highest sums in open windows, of all epochs. At most `limit`. */
  findTopValues(budget: BudgetId, limit: number): Promise<readonly string[]>
}
