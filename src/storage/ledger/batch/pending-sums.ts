import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { MAX_SUM, measures, SLOTS_AN_HOUR } from '../ledger-tables.ts'

/** A number above every subject ID. Combined with a slot, the result is below 2^53. */
const SUBJECT_ID_LIMIT = 2 ** 30

const MAX_SUM_BIG = BigInt(MAX_SUM)

/** The SQL of a sum within its limit. SQLite adds up in floating point where a whole number would overflow. */
function boundedSql(sum: string): string {
  return `cast(max(min(${sum}, ${MAX_SUM_BIG}), -${MAX_SUM_BIG}) as integer)`
}

function bounded(sum: number): number {
  return Math.max(-MAX_SUM, Math.min(MAX_SUM, sum))
}

function boundedBig(sum: bigint): bigint {
  if (sum > MAX_SUM_BIG) return MAX_SUM_BIG
  return sum < -MAX_SUM_BIG ? -MAX_SUM_BIG : sum
}

interface Span {
  readonly first: number
  last: number
}

/** The position of a cell of usage sums. */
export interface CellPosition {
  readonly slot: number
  readonly subject: number
  readonly tags: number
}

interface ToolCalls extends CellPosition {
  readonly tool: string
  readonly calls: number
}

/** The sums that the rows of one transaction add to cells, windows and hours, so that each of these is written once. */
export class PendingSums {
  /** The sums by slot and subject together, then by tags. Most subjects have only one set of tags. */
  readonly #cells = new Map<number, Map<number, Float64Array>>()
  readonly #tools = new Map<string, ToolCalls>()
  /** A window's sum may exceed what a number holds exactly. */
  readonly #windows = new Map<number, bigint>()
  readonly #hours = new Map<number, Span>()
  readonly #statements: Statements

  constructor(database: DatabaseSync) {
    this.#statements = prepareStatements(database)
  }

  /** The sums of a cell; the caller adds to them. */
  cell({ slot, subject, tags }: CellPosition): Float64Array {
    const key = slot * SUBJECT_ID_LIMIT + subject
    const byTags = this.#cells.get(key) ?? new Map<number, Float64Array>()
    this.#cells.set(key, byTags)
    const sums = byTags.get(tags) ?? new Float64Array(measures.length)
    byTags.set(tags, sums)
    return sums
  }

  addToolCalls(cell: CellPosition, calls: Readonly<Record<string, number>>): void {
    for (const [tool, count] of Object.entries(calls)) {
      const key = `${cell.slot} ${cell.subject} ${cell.tags} ${tool}`
      this.#tools.set(key, { ...cell, tool, calls: (this.#tools.get(key)?.calls ?? 0) + count })
    }
  }

  addToWindow(window: number, amount: number): void {
    this.#windows.set(window, (this.#windows.get(window) ?? 0n) + BigInt(amount))
  }

  addToHour(slot: number, rowNumber: number): void {
    const hour = Math.floor(slot / SLOTS_AN_HOUR)
    const span = this.#hours.get(hour)
    if (span === undefined) this.#hours.set(hour, { first: rowNumber, last: rowNumber })
    else span.last = rowNumber
  }

  /** Writes all sums within the open transaction. */
  write(): void {
    const { addCell, addTool, addSpent, addSpan } = this.#statements
    // Sorted in the order of the table, so that neighboring rows are written one after the other.
    for (const key of [...this.#cells.keys()].sort((a, b) => a - b)) {
      const slot = Math.floor(key / SUBJECT_ID_LIMIT)
      const subject = key - slot * SUBJECT_ID_LIMIT
      for (const [tags, sums] of this.#cells.get(key) ?? [])
        addCell.run(slot, subject, tags, ...sums.map(bounded))
    }
    for (const { slot, subject, tags, tool, calls } of this.#tools.values())
      addTool.run(slot, subject, tags, tool, bounded(calls))
    for (const [window, amount] of this.#windows) addSpent.run(boundedBig(amount), window)
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
  const added = measures.map((name) => `${name} = ${boundedSql(`${name} + excluded.${name}`)}`).join(', ')
  return {
    addCell: database.prepare(
      `insert into open_cells (slot, subject, tags, ${measures.join(', ')})
       values (?, ?, ?, ${measures.map(() => '?').join(', ')})
       on conflict (slot, subject, tags) do update set ${added}`,
    ),
    addTool: database.prepare(
      `insert into tool_calls (slot, subject, tags, tool, calls) values (?, ?, ?, ?, ?)
       on conflict (slot, subject, tags, tool) do update set calls = ${boundedSql('calls + excluded.calls')}`,
    ),
    addSpent: database.prepare(`update windows set spent = ${boundedSql('spent + ?')} where id = ?`),
    addSpan: database.prepare(
      `insert into hours (hour, first_number, last_number) values (?, ?, ?)
       on conflict (hour) do update set
         first_number = min(first_number, excluded.first_number), last_number = excluded.last_number`,
    ),
  }
}
