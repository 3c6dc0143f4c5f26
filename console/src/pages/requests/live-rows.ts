import type { RequestSummaryView } from '../../../../src/admin/requests/request-contract.ts'

/** The most rows that one look reads. */
export const MAX_NEW_ROWS = 500
/** The most rows that are held while following. */
const MAX_ROWS = 2_000

export interface LiveRows {
  /** The rows that ended since following began, the newest first. */
  readonly rows: readonly RequestSummaryView[]
  /** The rows that ended meanwhile and are not shown: more came than a look reads, or than are held. */
  readonly skipped: number
  readonly error: unknown
}

export const noLiveRows: LiveRows = { rows: [], skipped: 0, error: undefined }

/** The newest rows stay. */
export function addRows(live: LiveRows, rows: LiveRows['rows'], unread: number): LiveRows {
  const all = [...rows, ...live.rows]
  const dropped = Math.max(0, all.length - MAX_ROWS)
  return { rows: all.slice(0, MAX_ROWS), skipped: live.skipped + unread + dropped, error: undefined }
}

/**
 * The rows between the last one that was read and the oldest of a full answer, by their numbers. With filters it is
 * the most that there can be.
 */
export function countUnread(rows: readonly Pick<RequestSummaryView, 'id'>[], after: number): number {
  const oldest = rows.at(-1)
  if (rows.length < MAX_NEW_ROWS || oldest === undefined) return 0
  return Math.max(0, oldest.id - after - 1)
}
