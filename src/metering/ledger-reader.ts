import type { LedgerRow } from './ledger-row.ts'
import type { UsageFilter, UsagePage, UsageQuery } from './usage-query.ts'

/** A filter for rows. A row matches if it meets every given condition. */
export interface RowFilter extends UsageFilter {
  readonly state?: LedgerRow['state'] | undefined
  /** The attempt ended at this time or later. */
  readonly sinceMs?: number | undefined
  /** The attempt ended before this time. */
  readonly untilMs?: number | undefined
}

/** A query for rows, the newest first. */
export interface RowQuery extends RowFilter {
  /** The upper bound for row numbers, excluded. */
  readonly before?: number | undefined
  readonly limit: number
}

/** A row with its number. Numbers increase in the order in which rows were written. */
export interface NumberedRow {
  readonly number: number
  readonly row: LedgerRow
}

export interface RowPage {
  readonly rows: readonly NumberedRow[]
  /**
   * The value of `before` for the next page; undefined on the last page. A page before the last one may be short or
   * empty.
   */
  readonly next: number | undefined
}

/**
 * A query for all matching rows as lines, oldest first: a CSV file with its header, or one JSON object on each line.
 */
export interface ExportQuery extends RowFilter {
  readonly format: 'csv' | 'jsonl'
}

/** The result of a check that the sums of the ledger match its rows. */
export interface LedgerCheck {
  readonly rows: number
  /** Rows that retention deleted. Only their sums remain. */
  readonly prunedRows: number
  readonly windows: number
  readonly openIntents: number
  /** One line for each difference, at most `MAX_DIFFERENCES`. `differenceCount` counts all of them. */
  readonly differences: readonly string[]
  readonly differenceCount: number
}

export const MAX_DIFFERENCES = 1_000

/**
 * Reads the ledger for reports, separately from the writer and without blocking it. Each call has a time limit. It
 * fails with `report_too_slow` after that, or with `store_unavailable`.
 */
export interface LedgerReader {
  usage(query: UsageQuery): Promise<UsagePage>
  rows(query: RowQuery): Promise<RowPage>
  /** The attempts of a request in their order, and the rows that correct them. */
  rowsOf(requestId: string): Promise<readonly NumberedRow[]>
  /** Exports as fast as the consumer reads. The export has no time limit. */
  export(query: ExportQuery): AsyncGenerator<Buffer, void, undefined>
  /** Checks the whole ledger, without a time limit. */
  verify(nowMs: number): Promise<LedgerCheck>
}
