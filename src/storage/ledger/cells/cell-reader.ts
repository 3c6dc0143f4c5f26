import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { HOURS_A_DAY, SLOTS_AN_HOUR } from '../ledger-tables.ts'
import { type CellBlock, readCellBlock } from './cell-block.ts'
import { OpenCells, type SlotRange } from './open-cells.ts'
import type { UsagePiece } from './usage-buckets.ts'

const ALL = Number.MAX_SAFE_INTEGER
const SLOTS_A_DAY = HOURS_A_DAY * SLOTS_AN_HOUR

/** Reads usage piece by piece: what is in its block, and what is not moved there yet. */
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

  /** The days in which there can be usage at all: a report of a longer time looks at no empty one beside them. */
  days(): SlotRange {
    const ends = this.#findEnds.get() ?? {}
    const numbers = (values: readonly unknown[]) => values.filter((value) => typeof value === 'number')
    const hours = numbers([ends['first_hour'], ends['last_hour']])
    const slots = [
      ...hours.map((hour) => hour * SLOTS_AN_HOUR),
      ...numbers([ends['first_slot'], ends['last_slot']]),
    ]
    if (slots.length === 0) return { first: 0, end: 0 }
    const [first, last] = [Math.min(...slots), Math.max(...slots)].map((slot) =>
      Math.floor(slot / SLOTS_A_DAY),
    )
    return { first: (first ?? 0) * SLOTS_A_DAY, end: ((last ?? 0) + 1) * SLOTS_A_DAY }
  }

  /** At one moment, since cells move from one to the other. No snapshot lasts longer than one piece. */
  read(piece: UsagePiece): readonly CellBlock[] {
    this.#database.exec('begin')
    try {
      const stored = (piece.type === 'day' ? this.#readDay.get(piece.day) : this.#readHour.get(piece.hour))?.[
        'cells'
      ]
      const { table } = this.#openCells.read(piece, { limit: ALL, perDay: piece.type === 'day' })
      const open = { ...table, count: table.keys.length }
      return stored instanceof Uint8Array ? [readCellBlock(stored), open] : [open]
    } finally {
      this.#database.exec('commit')
    }
  }
}
