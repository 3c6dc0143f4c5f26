import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { USAGE_SLOT_MS } from '../../../metering/usage-query.ts'
import { numberOf } from '../../sqlite/column-values.ts'
import { HOURS_A_DAY, SLOTS_AN_HOUR } from '../ledger-tables.ts'
import { type CellTable, packCells, readCellBlock } from './cell-block.ts'
import { joinQuarters, mergeCells, unpackCells } from './merge-cells.ts'
import { OpenCells, type SlotRange } from './open-cells.ts'

/** The time after the end of an hour in which its late rows are still written. */
const SETTLE_MS = 300_000
/** The maximum number of cells moved in one transaction, so that no batch of rows waits long. */
const CELLS_A_TIME = 2_000

/**
 * Moves the sums of past hours from the table into blocks. A report reads a month of blocks in the time that a day of
 * table rows takes. Sums that are written late for an hour are moved too, and added to its block.
 */
export class CellSealer {
  readonly #database: DatabaseSync
  readonly #openCells: OpenCells
  readonly #statements: ReturnType<typeof prepareStatements>

  readonly #cellsATime: number

  constructor(database: DatabaseSync, cellsATime = CELLS_A_TIME) {
    this.#database = database
    this.#cellsATime = cellsATime
    this.#openCells = new OpenCells(database)
    this.#statements = prepareStatements(database)
  }

  /** Moves some cells in a short time; returns whether there are more. */
  sealSome(nowMs: number): { readonly hasMore: boolean } {
    const first = this.#statements.findFirst.get()?.['slot']
    const end = Math.floor((nowMs - SETTLE_MS) / USAGE_SLOT_MS / SLOTS_AN_HOUR) * SLOTS_AN_HOUR
    if (first === null || first === undefined || numberOf(first) >= end) return { hasMore: false }
    const hour = Math.floor(numberOf(first) / SLOTS_AN_HOUR)
    this.#database.exec('begin immediate')
    try {
      this.#sealHour(hour)
      this.#database.exec('commit')
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('rollback')
      throw error
    }
    return { hasMore: true }
  }

  #sealHour(hour: number): void {
    const { readHour, writeHour, readDay, writeDay } = this.#statements
    const slots: SlotRange = { first: hour * SLOTS_AN_HOUR, end: (hour + 1) * SLOTS_AN_HOUR }
    const { table, last } = this.#openCells.read(slots, { limit: this.#cellsATime, perDay: false })
    if (last === undefined) return
    addToBlock({ read: readHour, write: writeHour, id: hour }, table)
    const day = Math.floor(hour / HOURS_A_DAY)
    addToBlock({ read: readDay, write: writeDay, id: day }, joinQuarters(table))
    for (const drop of this.#statements.drops) drop.run(slots.first, ...last)
  }
}

interface BlockStatements {
  readonly read: StatementSync
  readonly write: StatementSync
  readonly id: number
}

function addToBlock({ read, write, id }: BlockStatements, added: CellTable): void {
  const stored = read.get(id)?.['cells']
  const merged = stored instanceof Uint8Array ? mergeCells(unpackCells(readCellBlock(stored)), added) : added
  write.run(id, packCells(merged))
}

function prepareStatements(database: DatabaseSync) {
  const write = (table: string, id: string) =>
    database.prepare(
      `insert into ${table} (${id}, cells) values (?, ?) on conflict (${id}) do update set cells = excluded.cells`,
    )
  return {
    findFirst: database.prepare('select min(slot) as slot from open_cells'),
    readHour: database.prepare('select cells from hour_cells where hour = ?'),
    readDay: database.prepare('select cells from day_cells where day = ?'),
    writeHour: write('hour_cells', 'hour'),
    writeDay: write('day_cells', 'day'),
    drops: ['open_cells', 'tool_calls'].map((table) =>
      database.prepare(`delete from ${table} where slot >= ? and (slot, subject, tags) <= (?, ?, ?)`),
    ),
  }
}
