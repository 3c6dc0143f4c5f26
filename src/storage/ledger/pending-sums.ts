import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { USAGE_SLOT_MS } from '../../metering/usage-query.ts'
import { measures } from './ledger-tables.ts'

const SLOTS_AN_HOUR = 3_600_000 / USAGE_SLOT_MS
/** Above every id of a subject; with a slot it is a number below 2^53. */
const SUBJECTS = 2 ** 30

interface Span {
  first: number
  last: number
}

/** What the rows of one transaction add to cells, windows and hours: each is then written once. */
export class PendingSums {
  readonly #cells = new Map<number, Float64Array>()
  readonly #tools = new Map<string, readonly [number, number, string, number]>()
  readonly #windows = new Map<number, number>()
  readonly #hours = new Map<number, Span>()
  readonly #statements: Statements

  constructor(database: DatabaseSync) {
    this.#statements = prepareStatements(database)
  }

  /** The sums of a cell, to be added to. */
  cell(slot: number, subject: number): Float64Array {
    const key = slot * SUBJECTS + subject
    const known = this.#cells.get(key)
    if (known !== undefined) return known
    const sums = new Float64Array(measures.length)
    this.#cells.set(key, sums)
    return sums
  }

  addToolCalls(slot: number, subject: number, calls: Readonly<Record<string, number>>): void {
    for (const [tool, count] of Object.entries(calls)) {
      const key = `${slot} ${subject} ${tool}`
      this.#tools.set(key, [slot, subject, tool, (this.#tools.get(key)?.[3] ?? 0) + count])
    }
  }

  addToWindow(window: number, amount: number): void {
    this.#windows.set(window, (this.#windows.get(window) ?? 0) + amount)
  }

  addToHour(slot: number, rowNumber: number): void {
    const hour = Math.floor(slot / SLOTS_AN_HOUR)
    const span = this.#hours.get(hour)
    if (span === undefined) this.#hours.set(hour, { first: rowNumber, last: rowNumber })
    else span.last = rowNumber
  }

  /** Writes all within the transaction that is open. */
  write(): void {
    const { addCell, addTool, addSpent, addSpan } = this.#statements
    // In the order of the table, so that neighbours are written one after the other.
    for (const key of [...this.#cells.keys()].sort((a, b) => a - b)) {
      const slot = Math.floor(key / SUBJECTS)
      addCell.run(slot, key - slot * SUBJECTS, ...(this.#cells.get(key) ?? []))
    }
    for (const tool of this.#tools.values()) addTool.run(...tool)
    for (const [window, amount] of this.#windows) addSpent.run(amount, window)
    for (const [hour, { first, last }] of this.#hours) addSpan.run(hour, first, last)
  }

  clear(): void {
    this.#cells.clear()
    this.#tools.clear()
    this.#windows.clear()
    this.#hours.clear()
  }
}

interface Statements {
  readonly addCell: StatementSync
  readonly addTool: StatementSync
  readonly addSpent: StatementSync
  readonly addSpan: StatementSync
}

function prepareStatements(database: DatabaseSync): Statements {
  const added = measures.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')
  return {
    addCell: database.prepare(
      `insert into open_cells (slot, subject, ${measures.join(', ')})
       values (?, ?, ${measures.map(() => '?').join(', ')})
       on conflict (slot, subject) do update set ${added}`,
    ),
    addTool: database.prepare(
      `insert into tool_calls (slot, subject, tool, calls) values (?, ?, ?, ?)
       on conflict (slot, subject, tool) do update set calls = calls + excluded.calls`,
    ),
    addSpent: database.prepare('update windows set spent = spent + ? where id = ?'),
    addSpan: database.prepare(
      `insert into hours (hour, first_number, last_number) values (?, ?, ?)
       on conflict (hour) do update set
         first_number = min(first_number, excluded.first_number), last_number = excluded.last_number`,
    ),
  }
}
