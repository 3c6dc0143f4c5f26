import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { ByteWriter } from '../../../kit/bytes/byte-writer.ts'
import type { ExportQuery } from '../../../metering/ledger-reader.ts'
import { numberOf } from '../../sqlite/column-values.ts'
import { exportFormats } from './export-format.ts'
import { FittingHours } from './fitting-hours.ts'
import { exportedColumn, exportedColumnsSql, RowLines } from './row-lines.ts'
import { fitsRow, hasSubjectFilter, SubjectFilter } from './subject-filter.ts'
import type { SubjectIndex } from './subject-index.ts'

/** The number of rows in one chunk, which is about a megabyte. */
const ROWS_A_CHUNK = 4_000
/** The maximum number of row numbers that are scanned for one chunk where few rows match. */
const NUMBERS_A_CHUNK = 100_000

/**
 * The position of an export. The thread stores no state for an export, so that an abandoned export leaves nothing
 * behind.
 */
export interface ExportPosition {
  readonly nextRow: number
  readonly last: number
}

export interface ExportChunk {
  /** Bytes in a separate buffer, which may be transferred to another thread. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Undefined after the last row. */
  readonly position: ExportPosition | undefined
}

/** Writes rows as lines, the oldest first, up to the last row at the time when the export began. */
export class RowExporter {
  readonly #subjects: SubjectIndex
  readonly #hours: FittingHours
  readonly #lastNumber: StatementSync
  readonly #rows: StatementSync
  readonly #lines: Readonly<Record<ExportQuery['format'], RowLines>>
  readonly #out = new ByteWriter()
  readonly #rowsAChunk: number

  constructor(database: DatabaseSync, subjects: SubjectIndex, rowsAChunk = ROWS_A_CHUNK) {
    this.#subjects = subjects
    this.#rowsAChunk = rowsAChunk
    this.#hours = new FittingHours(database)
    this.#lastNumber = database.prepare('select max(number) as last from ledger')
    this.#rows = prepareRows(database)
    this.#lines = {
      csv: new RowLines(exportFormats.csv, subjects),
      jsonl: new RowLines(exportFormats.jsonl, subjects),
    }
  }

  chunk(query: ExportQuery, position: ExportPosition | undefined): ExportChunk {
    this.#subjects.refresh()
    const { nextRow: next, last } = position ?? this.#start(query)
    const lines = this.#lines[query.format]
    if (position === undefined) this.#out.text(exportFormats[query.format].header)
    const end = Math.min(last, next + NUMBERS_A_CHUNK - 1)
    const filter = new SubjectFilter(this.#subjects, query)
    const subjects = hasSubjectFilter(query) ? this.#listSubjects(filter) : null
    const rows = this.#rows.all(next, end, subjects, subjects, this.#rowsAChunk)
    for (const row of rows) {
      const endedAtMs = numberOf(row[exportedColumn.endedAtMs])
      if (!fitsRow(row[exportedColumn.state], endedAtMs, query)) continue
      if (filter.fitsTags(numberOf(row[exportedColumn.tags]))) lines.write(this.#out, row)
    }
    const reached = rows.length < this.#rowsAChunk ? end : numberOf(rows.at(-1)?.[exportedColumn.number])
    return {
      bytes: this.#out.flush(),
      position: reached >= last ? undefined : { nextRow: reached + 1, last },
    }
  }

  /** Covers the rows from the first row of the first hour to the last row of the last hour. */
  #start(query: ExportQuery): ExportPosition {
    const newest = this.#lastNumber.get()?.['last']
    const end = typeof newest === 'number' ? newest : 0
    if (query.sinceMs === undefined && query.untilMs === undefined) return { nextRow: 1, last: end }
    let [next, last] = [end + 1, 0]
    for (const range of this.#hours.list(query, { before: end + 1, filter: undefined })) {
      next = Math.min(next, range.first)
      last = Math.max(last, range.last)
    }
    return { nextRow: next, last: Math.min(last, end) }
  }

  /** The IDs of the matching subjects, as JSON. */
  #listSubjects(filter: SubjectFilter): string {
    const ids = Array.from({ length: this.#subjects.lastId }, (_, index) => index + 1)
    return JSON.stringify(ids.filter((id) => filter.fitsSubject(id)))
  }
}

function prepareRows(database: DatabaseSync): StatementSync {
  const statement = database.prepare(
    `select ${exportedColumnsSql} from ledger
     where number >= ? and number <= ? and (? is null or subject in (select value from json_each(?)))
     order by number limit ?`,
  )
  statement.setReturnArrays(true)
  return statement
}
