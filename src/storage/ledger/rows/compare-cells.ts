import type { DatabaseSync } from 'node:sqlite'
import { DAY_MS, HOUR_MS } from '../../../kit/time/time-units.ts'
import { numberOf } from '../../sqlite/column-values.ts'
import { type CellTable, quarterOfKey, readCellBlock, subjectOfKey } from '../cells/cell-block.ts'
import { joinQuarters, mergeCells, noCells, unpackCells } from '../cells/merge-cells.ts'
import { OpenCells } from '../cells/open-cells.ts'
import { HOURS_A_DAY, SLOTS_AN_HOUR } from '../ledger-tables.ts'
import type { CellSums } from './cell-sums.ts'

type Report = (difference: string) => void

export interface SummedHour {
  readonly hour: number
  readonly sums: CellSums
  /** The sums of the hour's rows that retention deleted. */
  readonly pruned: { readonly rows: number; readonly cost: number; readonly charged: number }
  readonly report: Report
}

/**
 * Compares an hour's sums with its rows. Where all rows exist, each sum must match. Otherwise only the sums of money
 * are compared, with those of deleted rows added.
 */
export function compareHour(database: DatabaseSync, { hour, sums, pruned, report }: SummedHour): void {
  const stored = readHour(database, hour)
  const slots = { first: hour * SLOTS_AN_HOUR, end: (hour + 1) * SLOTS_AN_HOUR }
  const open = new OpenCells(database).read(slots, { limit: Number.MAX_SAFE_INTEGER, perDay: false }).table
  const cells = mergeCells(stored, open)
  const at = new Date(hour * HOUR_MS).toISOString()
  if (pruned.rows === 0) {
    for (const difference of differencesOf(indexCells(cells), new Map(sums.entries())))
      report(`usage of the hour ${at}: ${difference}`)
    return
  }
  for (const name of ['cost', 'charged'] as const) {
    const expected = sums[name] + BigInt(pruned[name])
    const found = sumOf(cells, name)
    if (expected !== found)
      report(`usage of the hour ${at}: ${name} is ${found} nano-dollars, of its rows ${expected}`)
  }
}

/** Compares each day's block with the sum of its hours' blocks. */
export function* compareDays(database: DatabaseSync, report: Report): Generator<void, void, undefined> {
  const days = database
    .prepare(`select day from day_cells union select distinct hour / ${HOURS_A_DAY} from hour_cells`)
    .all()
  const readDay = database.prepare('select cells from day_cells where day = ?')
  for (const row of days) {
    const day = numberOf(row['day'])
    const stored = readDay.get(day)?.['cells']
    const ofDay = stored instanceof Uint8Array ? unpackCells(readCellBlock(stored)) : noCells
    let ofHours = noCells
    for (let hour = day * HOURS_A_DAY; hour < (day + 1) * HOURS_A_DAY; hour += 1)
      ofHours = mergeCells(ofHours, joinQuarters(readHour(database, hour)))
    for (const difference of differencesOf(indexCells(ofDay), indexCells(ofHours)))
      report(`usage of the day ${new Date(day * DAY_MS).toISOString()}: ${difference}`)
    yield
  }
}

function readHour(database: DatabaseSync, hour: number): CellTable {
  const stored = database.prepare('select cells from hour_cells where hour = ?').get(hour)?.['cells']
  return stored instanceof Uint8Array ? unpackCells(readCellBlock(stored)) : noCells
}

/** The cells by key and tags. */
type IndexedCells = ReadonlyMap<string, ReadonlyMap<string, number>>

function indexCells({ keys, tags, columns }: CellTable): IndexedCells {
  const cells = new Map<string, Map<string, number>>()
  const addressOf = (index: number) => `${keys[index]} ${tags[index]}`
  for (const [index] of keys.entries()) cells.set(addressOf(index), new Map())
  for (const [name, values] of columns) {
    for (const [index, value] of values.entries())
      if (value !== 0) cells.get(addressOf(index))?.set(name, value)
  }
  return cells
}

function* differencesOf(found: IndexedCells, expected: IndexedCells): Generator<string, void, undefined> {
  for (const key of new Set([...found.keys(), ...expected.keys()])) {
    const [left, right] = [found.get(key), expected.get(key)]
    for (const name of new Set([...(left?.keys() ?? []), ...(right?.keys() ?? [])])) {
      const [has, should] = [left?.get(name) ?? 0, right?.get(name) ?? 0]
      if (has === should) continue
      const [cell = 0, tags = 0] = key.split(' ').map(Number)
      yield `${name} of subject ${subjectOfKey(cell)}, tags ${tags}, quarter ${quarterOfKey(cell)}, is ${has}, of its rows ${should}`
    }
  }
}

function sumOf({ columns }: CellTable, name: string): bigint {
  let sum = 0n
  for (const value of columns.get(name) ?? []) sum += BigInt(value)
  return sum
}
