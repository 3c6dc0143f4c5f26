import type { DatabaseSync } from 'node:sqlite'
import type { RequestQuery } from '../../request-log/request-log-store.ts'
import { numberOf } from '../sqlite/column-values.ts'

/** IDs above `low` and below `high`, both excluded. */
export interface IdBounds {
  readonly low: number
  readonly high: number
}

/** Searches for rows by their IDs, which rise with the time at which requests ended. */
export interface IdSearch {
  /** The ID bounds that the times and cursors of a query allow. */
  findBounds(query: RequestQuery): IdBounds | Promise<IdBounds>
  /** The ID below about this many of the newest rows within the bounds; the lower bound where there are fewer. */
  goBack(bounds: IdBounds, rows: number): number | Promise<number>
}

/** The range of the row IDs. IDs rise with the time at which requests ended, and have no gaps. */
export interface RequestIds extends IdSearch {
  /** The oldest and the newest ID; in an empty log the oldest is above the newest. */
  readEnds(): { readonly first: number; readonly last: number }
  /** The ID of the first row that ended at the time or later, or the one after the last row. */
  findFirstAt(atMs: number): number
  /** The time at which a request ended; undefined where its row was deleted. */
  endOf(id: number): number | undefined
}

export function createRequestIds(database: DatabaseSync): RequestIds {
  const [oldest, newest] = ['asc', 'desc'].map((direction) =>
    database.prepare(`select id from requests order by id ${direction} limit 1`),
  )
  const endOf = database.prepare('select ended_at_ms from requests where id = ?')

  function readEnds() {
    const [first, last] = [oldest?.get()?.['id'] ?? 1, newest?.get()?.['id'] ?? 0]
    return { first: numberOf(first), last: numberOf(last) }
  }

  function findFirstAt(atMs: number): number {
    const ends = readEnds()
    let { first } = ends
    let beyond = ends.last + 1
    while (first < beyond) {
      const middle = first + Math.floor((beyond - first) / 2)
      const found = endOf.get(middle)
      if (found === undefined || numberOf(found['ended_at_ms']) < atMs) first = middle + 1
      else beyond = middle
    }
    return first
  }

  return {
    readEnds,
    findBounds({ before, after, sinceMs, untilMs }) {
      const { last } = readEnds()
      const since = sinceMs === undefined ? 0 : findFirstAt(sinceMs) - 1
      const until = untilMs === undefined ? last + 1 : findFirstAt(untilMs + 1)
      return { low: Math.max(since, after ?? 0), high: Math.min(until, before ?? until) }
    },
    goBack: ({ low, high }, rows) => Math.max(low, high - 1 - rows),
    endOf(id) {
      const found = endOf.get(id)
      return found === undefined ? undefined : numberOf(found['ended_at_ms'])
    },
    findFirstAt,
  }
}
