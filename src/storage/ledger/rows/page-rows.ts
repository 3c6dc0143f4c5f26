import type { DatabaseSync } from 'node:sqlite'
import type { NumberedRow, RowPage, RowQuery } from '../../../metering/ledger-reader.ts'
import { writeId } from '../../id-bytes.ts'
import { numberOf } from '../../sqlite/column-values.ts'
import { rowColumns } from '../ledger-tables.ts'
import { FittingHours, type HourRange, type NumberRange } from './fitting-hours.ts'
import type { RowReader } from './read-row.ts'
import { fitsRow, hasSubjectFilter, SubjectFilter } from './subject-filter.ts'
import type { SubjectIndex } from './subject-index.ts'

/** The number of rows scanned at a time. */
const ROWS_A_TIME = 5_000
const ALL: HourRange = { first: 1, last: Number.MAX_SAFE_INTEGER, isFitting: true }

export interface RowSource {
  readonly database: DatabaseSync
  readonly subjects: SubjectIndex
  readonly rows: RowReader
}

interface Search {
  readonly query: RowQuery
  readonly filter: SubjectFilter
  readonly found: number[]
}

/**
 * Pages of rows, the newest first. Only hours whose usage has a matching subject are scanned. This finds the few rows
 * of a key without an index of rows by subject, which every commit would have to write.
 */
export class RowPager {
  readonly #source: RowSource
  readonly #hours: FittingHours
  readonly #statements: ReturnType<typeof prepareStatements>

  constructor(source: RowSource) {
    this.#source = source
    this.#hours = new FittingHours(source.database)
    this.#statements = prepareStatements(source.database)
  }

  /**
   * Reads a page. When `isLate` returns true, the page ends with the rows found so far. It always gets further than
   * `before`, since the next page would end at the same place otherwise.
   */
  page(query: RowQuery, isLate: () => boolean): RowPage {
    const { subjects } = this.#source
    subjects.refresh()
    const filter = new SubjectFilter(subjects, query)
    const found: number[] = []
    const before = query.before ?? Number.MAX_SAFE_INTEGER
    let next = before
    const isOver = () => found.length > query.limit || (next < before && isLate())
    for (const range of this.#listRanges(query, filter)) {
      // The rows above were scanned, or are of hours without a match.
      next = Math.min(next, range.last + 1)
      if (isOver()) return this.#read(found, query.limit, next)
      while (range.isFitting && next > range.first) {
        if (isOver()) return this.#read(found, query.limit, next)
        next = this.#lookThrough(
          { first: range.first, last: Math.min(range.last, next - 1) },
          { query, filter, found },
        )
      }
    }
    return this.#read(found, query.limit, undefined)
  }

  ofRequest(requestId: string): readonly NumberedRow[] {
    this.#source.subjects.refresh()
    const rows = this.#statements.ofRequest.all(writeId(requestId, 'request'))
    return rows.map((row) => this.#source.rows.read(row))
  }

  #listRanges(query: RowQuery, filter: SubjectFilter): Iterable<HourRange> {
    const isFiltered = hasSubjectFilter(query)
    if (!isFiltered && query.sinceMs === undefined && query.untilMs === undefined) return [ALL]
    const { before = Number.MAX_SAFE_INTEGER } = query
    return this.#hours.list(query, { before, filter: isFiltered ? filter : undefined })
  }

  /** Adds matching rows to `found`; returns the number of the last row that was scanned. */
  #lookThrough({ first, last }: NumberRange, { query, filter, found }: Search): number {
    let seen = 0
    let lowest = first
    for (const row of this.#statements.look.iterate(first, last, ROWS_A_TIME)) {
      seen += 1
      lowest = numberOf(row['number'])
      if (!filter.fits(numberOf(row['subject']), numberOf(row['tags']))) continue
      if (!fitsRow(row['state'], numberOf(row['ended_at_ms']), query)) continue
      found.push(lowest)
      if (found.length > query.limit) return lowest
    }
    return seen < ROWS_A_TIME ? first : lowest
  }

  #read(found: readonly number[], limit: number, next: number | undefined): RowPage {
    const rows = found
      .slice(0, limit)
      .map((number) => this.#source.rows.read(this.#statements.ofNumber.get(number) ?? {}))
    return { rows, next: found.length > limit ? rows.at(-1)?.number : next }
  }
}

function prepareStatements(database: DatabaseSync) {
  const columns = rowColumns.join(', ')
  return {
    look: database.prepare(
      `select number, subject, tags, state, ended_at_ms from ledger
       where number >= ? and number <= ? order by number desc limit ?`,
    ),
    ofNumber: database.prepare(`select ${columns} from ledger where number = ?`),
    ofRequest: database.prepare(
      `select ${columns} from ledger where request_id = ? order by attempt, number`,
    ),
  }
}
