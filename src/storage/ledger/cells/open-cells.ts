import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite'
import { numberOf } from '../../sqlite/column-values.ts'
import { measures, SLOTS_AN_HOUR } from '../ledger-tables.ts'
import { type CellTable, cellKeyOf } from './cell-block.ts'
import { joinCells, noCells } from './merge-cells.ts'

const TOOL = 'tool:'

/** The name of the column of a tool's calls. */
export function toolColumn(tool: string): string {
  return TOOL + tool
}

/** The tool whose calls a column counts; undefined for other columns. */
export function toolOfColumn(column: string): string | undefined {
  return column.startsWith(TOOL) ? column.slice(TOOL.length) : undefined
}

/** Quarters of an hour, numbered since 1970, the end excluded. */
export interface SlotRange {
  readonly first: number
  readonly end: number
}

/** The slot, subject and tags of a cell. */
export type CellAddress = readonly [slot: number, subject: number, tags: number]

export interface ReadCells {
  readonly table: CellTable
  /** The address of the last cell that was read; undefined where there was none. */
  readonly last: CellAddress | undefined
}

export interface CellReadOptions {
  /** The maximum number of cells to read, from the first one. */
  readonly limit: number
  /** Whether the quarters of a subject are one cell. If not, slots of different hours must not be read together. */
  readonly perDay: boolean
}

/** Cells of the last hours, which are still table rows. */
export class OpenCells {
  readonly #cells: StatementSync
  readonly #tools: StatementSync

  constructor(database: DatabaseSync) {
    // Clamped, since a block also stores values as doubles.
    const columns = measures.map(clamped).join(', ')
    this.#cells = database.prepare(
      `select slot, subject, tags, ${columns} from open_cells
       where slot >= ? and slot < ? order by slot, subject, tags limit ?`,
    )
    this.#cells.setReturnArrays(true)
    this.#tools = database.prepare(
      `select slot, subject, tags, tool, ${clamped('calls')} from tool_calls
       where slot >= ? and (slot, subject, tags) <= (?, ?, ?)`,
    )
    this.#tools.setReturnArrays(true)
  }

  read({ first, end }: SlotRange, { limit, perDay }: CellReadOptions): ReadCells {
    const rows = this.#cells.all(first, end, limit)
    const last = rows.at(-1)
    if (last === undefined) return { table: noCells, last: undefined }
    const lastAddress = addressOf(last)
    const list = new CellList(perDay)
    for (const row of rows) {
      list.addCell(addressOf(row))
      for (const [index, name] of measures.entries()) list.set(name, numberOf(row[FIRST_MEASURE + index]))
    }
    for (const row of this.#tools.all(first, ...lastAddress)) {
      list.addCell(addressOf(row))
      list.set(toolColumn(String(row[FIRST_MEASURE])), numberOf(row[FIRST_MEASURE + 1]))
    }
    return { table: joinCells(list.table()), last: lastAddress }
  }
}

const MAX_MEASURE = Number.MAX_SAFE_INTEGER
const FIRST_MEASURE = 3

function clamped(name: string): string {
  return `max(min(${name}, ${MAX_MEASURE}), -${MAX_MEASURE})`
}

function addressOf(row: Readonly<Record<number, SQLOutputValue>>): CellAddress {
  return [numberOf(row[0]), numberOf(row[1]), numberOf(row[2])]
}

/** Collects cells in the order in which they are added. */
class CellList {
  readonly #perDay: boolean
  readonly #keys: number[] = []
  readonly #tags: number[] = []
  readonly #columns = new Map<string, Map<number, number>>()

  constructor(perDay: boolean) {
    this.#perDay = perDay
  }

  addCell([slot, subject, tags]: CellAddress): void {
    this.#keys.push(cellKeyOf(this.#perDay ? 0 : slot % SLOTS_AN_HOUR, subject))
    this.#tags.push(tags)
  }

  /** Sets one value of the cell that was added last. */
  set(name: string, value: number): void {
    if (value === 0) return
    const column = this.#columns.get(name) ?? new Map<number, number>()
    column.set(this.#keys.length - 1, value)
    this.#columns.set(name, column)
  }

  table(): CellTable {
    const columns = [...this.#columns].map(([name, values]) => {
      const column = new Float64Array(this.#keys.length)
      for (const [index, value] of values) column[index] = value
      return [name, column] as const
    })
    return {
      keys: Float64Array.from(this.#keys),
      tags: Float64Array.from(this.#tags),
      columns: new Map(columns),
    }
  }
}
