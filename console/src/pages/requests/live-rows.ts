import type { RequestSummaryView } from '../../../../src/admin/requests/request-contract.ts'

/** The limit on rows that one poll reads. */
export const MAX_NEW_ROWS = 500
/** The limit on rows in memory while following. */
const MAX_ROWS = 2_000

export interface LiveRows {
  /** The rows that ended since following started, the newest first. */
  readonly rows: readonly RequestSummaryView[]
  /** The number of rows that ended since then but are not shown: a poll or the memory limit was too small for them. */
  readonly skipped: number
  readonly error: unknown
}

export const noLiveRows: LiveRows = { rows: [], skipped: 0, error: undefined }

/** Adds rows in front. Beyond the limit, the oldest rows are dropped. */
export function addRows(live: LiveRows, rows: LiveRows['rows'], unread: number): LiveRows {
  const everyRow = [...rows, ...live.rows]
  const dropped = Math.max(0, everyRow.length - MAX_ROWS)
  return { rows: everyRow.slice(0, MAX_ROWS), skipped: live.skipped + unread + dropped, error: undefined }
}

/** A poll that finds nothing new ends an error, too. The same object stays where nothing changes, for React. */
export function withoutError(live: LiveRows): LiveRows {
  return live.error === undefined ? live : { ...live, error: undefined }
}

/**
 * The number of unread rows between the last read row and the oldest row of a full response, computed from their IDs.
 * With filters it is an upper bound.
 */
export function countUnread(rows: readonly Pick<RequestSummaryView, 'id'>[], after: number): number {
  const oldest = rows.at(-1)
  if (rows.length < MAX_NEW_ROWS || oldest === undefined) return 0
  return Math.max(0, oldest.id - after - 1)
}
