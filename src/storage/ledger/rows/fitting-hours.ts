import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { HOUR_MS } from '../../../kit/time/time-units.ts'
import type { RowFilter } from '../../../metering/ledger-reader.ts'
import { numberOf } from '../../sqlite/column-values.ts'
import { readCellBlock, subjectOfKey } from '../cells/cell-block.ts'
import { HOURS_A_DAY, SLOTS_AN_HOUR } from '../ledger-tables.ts'
import type { SubjectFilter } from './subject-filter.ts'

const NO_COLUMNS: ReadonlySet<string> = new Set()

/** A range of row numbers, both ends included. */
export interface NumberRange {
  readonly first: number
  readonly last: number
}

/** The rows of an hour, and whether any of them may match. */
export interface HourRange extends NumberRange {
  readonly isFitting: boolean
}

/** Finds the hours that have rows of a matching subject. It reads the usage sums, which are far fewer than the rows. */
export class FittingHours {
  readonly #listHours: StatementSync
  readonly #readHour: StatementSync
  readonly #readDay: StatementSync
  readonly #readOpen: StatementSync

  constructor(database: DatabaseSync) {
    this.#listHours = database.prepare(
      `select hour, first_number, last_number from hours
       where hour >= ? and hour <= ? and first_number < ? and first_number <= last_number order by last_number desc`,
    )
    this.#readHour = database.prepare('select cells from hour_cells where hour = ?')
    this.#readDay = database.prepare('select cells from day_cells where day = ?')
    this.#readOpen = database.prepare(
      'select distinct subject, tags from open_cells where slot >= ? and slot < ?',
    )
  }

  /** Lists the row ranges of all hours, the highest last number first. A range may contain rows of other hours. */
  *list(query: RowFilter, { before, filter }: ListOptions): Generator<HourRange, void, undefined> {
    const first = query.sinceMs === undefined ? 0 : Math.floor(query.sinceMs / HOUR_MS)
    const last = Math.floor((query.untilMs ?? Number.MAX_SAFE_INTEGER) / HOUR_MS)
    const days = new Map<number, boolean>()
    for (const row of this.#listHours.all(first, last, before)) {
      const hour = numberOf(row['hour'])
      const isFitting = filter === undefined || this.#fits(hour, filter, days)
      yield { first: numberOf(row['first_number']), last: numberOf(row['last_number']), isFitting }
    }
  }

  #fits(hour: number, filter: SubjectFilter, days: Map<number, boolean>): boolean {
    if (this.#hasOpen(hour, filter)) return true
    const day = Math.floor(hour / HOURS_A_DAY)
    const isDayFit = days.get(day) ?? hasFitting(this.#readDay, day, filter)
    days.set(day, isDayFit)
    return isDayFit && hasFitting(this.#readHour, hour, filter)
  }

  #hasOpen(hour: number, filter: SubjectFilter): boolean {
    const rows = this.#readOpen.all(hour * SLOTS_AN_HOUR, (hour + 1) * SLOTS_AN_HOUR)
    return rows.some((row) => filter.fits(numberOf(row['subject']), numberOf(row['tags'])))
  }
}

interface ListOptions {
  readonly before: number
  /** Undefined if every subject matches. */
  readonly filter: SubjectFilter | undefined
}

function hasFitting(statement: StatementSync, id: number, filter: SubjectFilter): boolean {
  const stored = statement.get(id)?.['cells']
  if (!(stored instanceof Uint8Array)) return false
  const { count, keys, tags } = readCellBlock(stored, NO_COLUMNS)
  for (let index = 0; index < count; index += 1) {
    const key = typeof keys === 'number' ? keys : (keys[index] ?? 0)
    const set = typeof tags === 'number' ? tags : (tags[index] ?? 0)
    if (filter.fits(subjectOfKey(key), set)) return true
  }
  return false
}
