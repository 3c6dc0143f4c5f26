import type { DatabaseSync } from 'node:sqlite'
import { numberOf } from '../sqlite/column-values.ts'

/** The range of the rows. IDs rise with the time of the end, and have no gaps. */
export interface RequestIds {
  /** The oldest and the newest ID; in an empty log the oldest is above the newest. */
  readEnds(): { readonly first: number; readonly last: number }
  /** The ID of the first row that ended at the time or later, or the one after the last row. */
  findFirstAt(atMs: number): number
  /** The time at which a request ended; undefined where its row is gone. */
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

  return {
    readEnds,
    endOf(id) {
      const found = endOf.get(id)
      return found === undefined ? undefined : numberOf(found['ended_at_ms'])
    },
    findFirstAt(atMs) {
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
    },
  }
}
