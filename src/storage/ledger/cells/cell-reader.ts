import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { HOURS_A_DAY, SLOTS_AN_HOUR } from '../ledger-tables.ts'
import { type CellBlock, readCellBlock } from './cell-block.ts'
import { OpenCells, type SlotRange } from './open-cells.ts'
import type { StoredRange } from './usage-buckets.ts'

const NO_LIMIT = Number.MAX_SAFE_INTEGER
const SLOTS_A_DAY = HOURS_A_DAY * SLOTS_AN_HOUR

/** The limits of the time span that can have usage, when a report begins. */
export interface CellEnds {
  /** The days that can have usage. A report of a longer time reads no days outside of them. */
  readonly days: SlotRange
  /** The slot before which all usage is in blocks. Usage that is written late, during the report, may be missing. */
  readonly firstOpen: number
}

/** Reads usage piece by piece, both from blocks and from the table of cells that are not in blocks yet. */
export class CellReader {
  readonly #database: DatabaseSync
  readonly #openCells: OpenCells
  readonly #readHour: StatementSync
  readonly #readDay: StatementSync
  readonly #findEnds: StatementSync

  constructor(database: DatabaseSync) {
    this.#database = database
    this.#openCells = new OpenCells(database)
    this.#readHour = database.prepare('select cells from hour_cells where hour = ?')
    this.#readDay = database.prepare('select cells from day_cells where day = ?')
    this.#findEnds = database.prepare(
      `select (select min(hour) from hour_cells) as first_hour, (select max(hour) from hour_cells) as last_hour,
        (select min(slot) from open_cells) as first_slot, (select max(slot) from open_cells) as last_slot`,
    )
  }

  ends(): CellEnds {
    const ends = this.#findEnds.get() ?? {}
    const numbers = (values: readonly unknown[]) => values.filter((value) => typeof value === 'number')
    const hours = numbers([ends['first_hour'], ends['last_hour']])
    const [firstOpen = Number.POSITIVE_INFINITY, ...lastOpen] = numbers([
      ends['first_slot'],
      ends['last_slot'],
    ])
    const slots = [...hours.map((hour) => hour * SLOTS_AN_HOUR), ...lastOpen]
    if (Number.isFinite(firstOpen)) slots.push(firstOpen)
    if (slots.length === 0) return { days: { first: 0, end: 0 }, firstOpen }
    const [first, last] = [Math.min(...slots), Math.max(...slots)].map((slot) =>
      Math.floor(slot / SLOTS_A_DAY),
    )
    return { days: { first: (first ?? 0) * SLOTS_A_DAY, end: ((last ?? 0) + 1) * SLOTS_A_DAY }, firstOpen }
  }

  /**
   * Reads both places in one snapshot, since cells move from one to the other. No snapshot lasts longer than one
   * piece.
   */
  read(range: StoredRange, { firstOpen }: CellEnds): readonly CellBlock[] {
    if (range.end <= firstOpen) return this.#readStored(range)
    this.#database.exec('begin')
    try {
      const stored = this.#readStored(range)
      const { table } = this.#openCells.read(range, { limit: NO_LIMIT, perDay: range.type === 'day' })
      return [...stored, { ...table, count: table.keys.length }]
    } finally {
      this.#database.exec('commit')
    }
  }

  #readStored(range: StoredRange): readonly CellBlock[] {
    const row = range.type === 'day' ? this.#readDay.get(range.day) : this.#readHour.get(range.hour)
    const stored = row?.['cells']
    return stored instanceof Uint8Array ? [readCellBlock(stored)] : []
  }
}
