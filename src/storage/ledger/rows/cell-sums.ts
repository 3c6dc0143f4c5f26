import type { SQLOutputValue } from 'node:sqlite'
import { cellKeyOf } from '../cells/cell-block.ts'
import { toolColumn } from '../cells/open-cells.ts'
import { flagBits, SLOTS_AN_HOUR, stateCodes, usageMeasures } from '../ledger-tables.ts'
import { parseToolCalls } from '../parse-tool-calls.ts'

/** The part of a row that is added to usage sums, read only from the table of rows. */
export interface SummedRow {
  readonly slot: number
  readonly subject: number
  readonly tags: number
  readonly attempt: number
  readonly state: number
  readonly flags: number
  readonly isCorrection: boolean
  readonly cost: number
  readonly charged: number
  /** The usage in the order of `usageMeasures`. */
  readonly usage: readonly number[]
  readonly toolCalls: SQLOutputValue | undefined
}

/** The cells of one hour, added up from its rows. */
export class CellSums {
  /** The sums by key and tags. */
  readonly #cells = new Map<string, Map<string, number>>()
  cost = 0n
  charged = 0n

  add(row: SummedRow): void {
    const key = `${cellKeyOf(row.slot % SLOTS_AN_HOUR, row.subject)} ${row.tags}`
    const cell = this.#cells.get(key) ?? new Map<string, number>()
    this.#cells.set(key, cell)
    const add = (name: string, value: number) => {
      if (value !== 0) cell.set(name, (cell.get(name) ?? 0) + value)
    }
    if (row.isCorrection) {
      add('estimated', row.state === stateCodes.settled ? -1 : 0)
    } else {
      const isFailed = row.state === stateCodes.void || (row.flags & flagBits.failed) !== 0
      add('attempts', 1)
      add('requests', row.attempt === 1 ? 1 : 0)
      add('failed', isFailed ? 1 : 0)
      add('estimated', row.state === stateCodes.estimated ? 1 : 0)
    }
    add('cost', row.cost)
    add('charged', row.charged)
    for (const [index, name] of usageMeasures.entries()) add(name, row.usage[index] ?? 0)
    if (typeof row.toolCalls === 'string') {
      const calls = parseToolCalls(row.toolCalls)
      for (const [tool, count] of Object.entries(calls)) add(toolColumn(tool), count)
    }
    this.cost += BigInt(row.cost)
    this.charged += BigInt(row.charged)
  }

  entries(): IterableIterator<[string, ReadonlyMap<string, number>]> {
    return this.#cells.entries()
  }
}
