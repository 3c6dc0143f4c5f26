// Reads the usage sums of a data folder, hour by hour, both from blocks and from table rows.
import { createHash } from 'node:crypto'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type CellTable, quarterOfKey, readCellBlock, subjectOfKey } from '../ledger/cells/cell-block.ts'
import { mergeCells, noCells, unpackCells } from '../ledger/cells/merge-cells.ts'
import { OpenCells } from '../ledger/cells/open-cells.ts'
import { SLOTS_AN_HOUR } from '../ledger/ledger-tables.ts'
import { numberOf } from '../sqlite/column-values.ts'

export interface SourceCell {
  readonly slot: number
  readonly subject: number
  readonly tags: number
  /** The sums by column name. `toolColumn` gives the names for tools. */
  readonly sums: ReadonlyMap<string, number>
}

export class SourceUsage {
  readonly #openCells: OpenCells
  readonly #hours: StatementSync
  readonly #block: StatementSync
  readonly #openRows: readonly StatementSync[]

  constructor(database: DatabaseSync) {
    this.#openCells = new OpenCells(database)
    this.#hours = database.prepare(
      `select hour from hour_cells union select distinct slot / ${SLOTS_AN_HOUR} from open_cells order by 1`,
    )
    this.#block = database.prepare('select cells from hour_cells where hour = ?')
    this.#openRows = ['open_cells', 'tool_calls'].map((table) => {
      const statement = database.prepare(
        `select * from ${table} where slot >= ? and slot < ? order by slot, subject, tags`,
      )
      statement.setReturnArrays(true)
      statement.setReadBigInts(true)
      return statement
    })
  }

  hours(): readonly number[] {
    return this.#hours.all().map(({ hour }) => numberOf(hour))
  }

  /** A digest of everything that is stored for an hour. It changes when any of that changes. */
  digest(hour: number): string {
    const hash = createHash('sha256')
    const block = this.#block.get(hour)?.['cells']
    if (block instanceof Uint8Array) hash.update(block)
    for (const statement of this.#openRows) {
      hash.update('|')
      for (const row of statement.iterate(...slotsOf(hour))) hash.update(`${String(row)}\n`)
    }
    return hash.digest('base64url')
  }

  *cells(hour: number): Generator<SourceCell, void, undefined> {
    const table = this.#readTable(hour)
    for (const [index, key] of table.keys.entries()) {
      const sums = new Map<string, number>()
      for (const [name, values] of table.columns) sums.set(name, values[index] ?? 0)
      const slot = hour * SLOTS_AN_HOUR + quarterOfKey(key)
      yield { slot, subject: subjectOfKey(key), tags: table.tags[index] ?? 0, sums }
    }
  }

  /** The sum of each column in an hour. */
  totals(hour: number): ReadonlyMap<string, bigint> {
    return new Map(
      [...this.#readTable(hour).columns].map(([name, values]) => {
        let sum = 0n
        for (const value of values) sum += BigInt(value)
        return [name, sum]
      }),
    )
  }

  #readTable(hour: number): CellTable {
    const block = this.#block.get(hour)?.['cells']
    const stored = block instanceof Uint8Array ? unpackCells(readCellBlock(block)) : noCells
    const [first, end] = slotsOf(hour)
    const options = { limit: Number.MAX_SAFE_INTEGER, perDay: false }
    return mergeCells(stored, this.#openCells.read({ first, end }, options).table)
  }
}

function slotsOf(hour: number): readonly [number, number] {
  return [hour * SLOTS_AN_HOUR, (hour + 1) * SLOTS_AN_HOUR]
}
