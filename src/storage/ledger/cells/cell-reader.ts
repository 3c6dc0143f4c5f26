import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type CellBlock, readCellBlock } from './cell-block.ts'
import { OpenCells } from './open-cells.ts'
import type { UsagePiece } from './usage-buckets.ts'

const ALL = Number.MAX_SAFE_INTEGER

/** Reads usage piece by piece: what is in its block, and what is not moved there yet. */
export class CellReader {
  readonly #database: DatabaseSync
  readonly #openCells: OpenCells
  readonly #readHour: StatementSync
  readonly #readDay: StatementSync

  constructor(database: DatabaseSync) {
    this.#database = database
    this.#openCells = new OpenCells(database)
    this.#readHour = database.prepare('select cells from hour_cells where hour = ?')
    this.#readDay = database.prepare('select cells from day_cells where day = ?')
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
