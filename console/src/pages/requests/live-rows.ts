import type { RequestSummaryView } from '../../../../src/admin/requests/request-contract.ts'

/** The limit on rows that one poll reads. */
export const MAX_NEW_ROWS = 500
/** The limit on rows in memory while following. */
const MAX_ROWS = 2_000

export interface LiveRows {
  /** The rows that ended since following started, the newest first. */
  readonly rows: readonly RequestSummaryView[]
  /** Whether more rows ended since then than are shown: a poll or the memory limit was too small for them. */
  readonly isCut: boolean
  readonly error: unknown
}

export const noLiveRows: LiveRows = { rows: [], isCut: false, error: undefined }

/** The response to a poll. */
interface NewRows {
  readonly data: LiveRows['rows']
  /** Whether older rows ended since the last poll, too. Their number is unknown: IDs have gaps. */
  readonly has_more: boolean
}

/** Adds rows in front. Beyond the limit, the oldest rows are dropped. */
export function addRows(live: LiveRows, { data, has_more: hasMore }: NewRows): LiveRows {
  const everyRow = [...data, ...live.rows]
  const isCut = live.isCut || hasMore || everyRow.length > MAX_ROWS
  return { rows: everyRow.slice(0, MAX_ROWS), isCut, error: undefined }
}

/** A poll that finds nothing new ends an error, too. The same object stays where nothing changes, for React. */
export function withoutError(live: LiveRows): LiveRows {
  return live.error === undefined ? live : { ...live, error: undefined }
}
