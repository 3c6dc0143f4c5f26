import type { LedgerRow } from '../ledger-row.ts'

/** The reports of the ledger's state to operators. */
export interface LedgerReports {
  /** Reports whether the store accepts writes. */
  setUp(isUp: boolean): void
  addDropped(count: number): void
  /** Reports a row of this process, also one that is dropped: its provider bills it. */
  rowRecorded(row: LedgerRow): void
  warn(message: string): void
}

/** Whether the store answers, the time since which it does not, and the number of rows lost since then. */
export class LedgerHealth {
  /** The start of the outage on the monotonic clock; undefined while the store answers. */
  awaySinceMs: number | undefined
  readonly #reports: LedgerReports
  #dropped = 0

  constructor(reports: LedgerReports) {
    this.#reports = reports
    reports.setUp(true)
  }

  markAway(sinceMs: number, reason: string): void {
    if (this.awaySinceMs !== undefined) return
    this.awaySinceMs = sinceMs
    this.#reports.setUp(false)
    this.#reports.warn(
      `the ledger cannot be written: ${reason}; until it can, keys under exact budgets are refused and rows wait`,
    )
  }

  /**
   * Counts rows that did not fit into the queue. The first is reported at once. The total is reported when rows are
   * written again.
   */
  recordDropped(count: number): void {
    if (this.#dropped === 0) {
      this.#reports.warn('the ledger loses rows: as many wait as may, and those that come now are dropped')
    }
    this.#dropped += count
    this.#reports.addDropped(count)
  }

  /** Counts rows that were still waiting when the process ended. */
  recordUnwritten(count: number): void {
    this.#reports.addDropped(count)
    this.#reports.warn(
      `the ledger lost ${count} rows: its store could not be written before the process had to end; calls of keys with budgets are estimated instead`,
    )
  }

  /** Ends the outage: a commit succeeded. `isCaughtUp`: no more rows wait. */
  markWritten(isCaughtUp: boolean): void {
    if (this.awaySinceMs !== undefined) {
      this.awaySinceMs = undefined
      this.#reports.setUp(true)
      this.#reports.warn('the ledger is written again')
    }
    if (this.#dropped === 0 || !isCaughtUp) return
    this.#reports.warn(`the ledger lost ${this.#dropped} rows of keys without exact budgets`)
    this.#dropped = 0
  }
}
