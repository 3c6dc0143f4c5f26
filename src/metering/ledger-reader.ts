import type { LedgerRow } from './ledger-row.ts'
import type { UsageFilter, UsagePage, UsageQuery } from './usage-query.ts'

/** All that is given must hold. */
export interface RowFilter extends UsageFilter {
  readonly state?: LedgerRow['state'] | undefined
  /** The attempt ended at this time or later. */
  readonly sinceMs?: number | undefined
  /** The attempt ended before this time. */
  readonly untilMs?: number | undefined
}

/** A query for rows, the newest first. */
export interface RowQuery extends RowFilter {
  /** Rows whose number is below. */
  readonly before?: number | undefined
  readonly limit: number
}

/** Numbers rise in the order in which rows were written. */
export interface NumberedRow {
  readonly number: number
  readonly row: LedgerRow
}

export interface RowPage {
  readonly rows: readonly NumberedRow[]
  /** `before` for the next page; undefined on the last one. A page may be short, or empty, and yet not be the last. */
  readonly next: number | undefined
}

/** Lines of all rows that fit, oldest first, a CSV file with its header or an object on each line. */
export interface ExportQuery extends RowFilter {
  readonly format: 'csv' | 'jsonl'
}

/** Whether the ledger adds up. */
export interface LedgerCheck {
  readonly rows: number
  /** Rows of which retention left only the sums. */
  readonly prunedRows: number
  readonly windows: number
  readonly openIntents: number
  /** One line for each; at most `MAX_DIFFERENCES`, while `differenceCount` is of all. */
  readonly differences: readonly string[]
  readonly differenceCount: number
}

export const MAX_DIFFERENCES = 1_000

/**
 * The ledger as reports read it, beside the writer and never in its way. Each call has a time limit and fails with
 * `report_too_slow` beyond it, or with `store_unavailable`.
 */
export interface LedgerReader {
  usage(query: UsageQuery): Promise<UsagePage>
  rows(query: RowQuery): Promise<RowPage>
  /** The attempts of a request in their order, and what corrects them. */
  rowsOf(requestId: string): Promise<readonly NumberedRow[]>
  /** Exports for as long as the reader reads; without a limit. */
  export(query: ExportQuery): AsyncGenerator<Buffer, void, undefined>
  /** Checks the whole ledger, for as long as it takes. */
  verify(nowMs: number): Promise<LedgerCheck>
}
