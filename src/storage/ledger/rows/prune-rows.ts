import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { HOUR_MS } from '../../../kit/time/time-units.ts'
import type { LedgerRetention } from '../../../metering/ledger/ledger-maintenance.ts'
import { numberOf } from '../../sqlite/column-values.ts'
import { readCounted } from '../batch/pack-amounts.ts'

/**
 * The maximum number of rows deleted in one transaction, so that no batch of rows waits long. SQLite reuses the freed
 * pages.
 */
const ROWS_A_TIME = 1_000

/**
 * Deletes the rows of the oldest hours, but not their sums. Usage sums do not change. Each budget window and each
 * hour records the part of its sum whose rows were deleted, so that the ledger still adds up.
 */
export class RowPruner {
  readonly #database: DatabaseSync
  readonly #statements: ReturnType<typeof prepareStatements>
  readonly #rowsATime: number

  constructor(database: DatabaseSync, rowsATime = ROWS_A_TIME) {
    this.#database = database
    this.#statements = prepareStatements(database)
    this.#rowsATime = rowsATime
  }

  /** Deletes some rows in a short time; returns whether there may be more. */
  pruneSome({ nowMs, keepMs, maxBytes }: LedgerRetention): { readonly hasMore: boolean } {
    // The current hour is never deleted, however much space its rows need.
    const current = Math.floor(nowMs / HOUR_MS)
    const tooOld = keepMs === undefined ? 0 : Math.floor((nowMs - keepMs) / HOUR_MS)
    const isTooLarge = maxBytes !== undefined && this.#usedBytes() > maxBytes
    const row = this.#statements.findHour.get(isTooLarge ? current : Math.min(tooOld, current))
    if (row === undefined) return { hasMore: false }
    const [hour, first, last] = [row['hour'], row['first_number'], row['last_number']].map(numberOf)
    this.#database.exec('begin immediate')
    try {
      this.#pruneHour({ hour: hour ?? 0, first: first ?? 0, last: last ?? 0 })
      this.#database.exec('commit')
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('rollback')
      throw error
    }
    return { hasMore: true }
  }

  #usedBytes(): number {
    const { used, size } = this.#statements.readSize.get() ?? {}
    return numberOf(used) * numberOf(size)
  }

  #pruneHour({ hour, first, last }: HourSpan): void {
    const { readRows, dropRows, addToHour, addToWindow } = this.#statements
    const times = [hour * HOUR_MS, (hour + 1) * HOUR_MS] as const
    const rows = readRows.all(first, last, ...times, this.#rowsATime)
    const end = rows.length < this.#rowsATime ? last : numberOf(rows.at(-1)?.['number'])
    dropRows.run(first, end, ...times)
    const { cost, charged, windows } = sumRows(rows)
    addToHour.run(end + 1, rows.length, cost, charged, hour)
    for (const [window, amount] of windows) addToWindow.run(amount, window)
  }
}

/** An hour, with the range of its row numbers. */
interface HourSpan {
  readonly hour: number
  readonly first: number
  readonly last: number
}

function sumRows(rows: readonly Readonly<Record<string, SQLOutputValue>>[]) {
  let [cost, charged] = [0n, 0n]
  const windows = new Map<number, bigint>()
  for (const row of rows) {
    const amounts = { cost: numberOf(row['cost']), charged: numberOf(row['charged']) }
    cost += BigInt(amounts.cost)
    charged += BigInt(amounts.charged)
    const counted = row['counted'] instanceof Uint8Array ? row['counted'] : null
    readCounted(counted, amounts, (window, amount) => {
      windows.set(window, (windows.get(window) ?? 0n) + BigInt(amount))
    })
  }
  return { cost, charged, windows }
}

function prepareStatements(database: DatabaseSync) {
  const ofHour = 'where number >= ? and number <= ? and ended_at_ms >= ? and ended_at_ms < ?'
  return {
    findHour: database.prepare(
      `select hour, first_number, last_number from hours
       where hour < ? and first_number <= last_number order by hour limit 1`,
    ),
    readSize: database.prepare(
      `select page_count - freelist_count as used, page_size as size
       from pragma_page_count, pragma_freelist_count, pragma_page_size`,
    ),
    readRows: database.prepare(
      `select number, cost, charged, counted from ledger ${ofHour} order by number limit ?`,
    ),
    dropRows: database.prepare(`delete from ledger ${ofHour}`),
    addToHour: database.prepare(
      `update hours set first_number = ?, pruned_rows = pruned_rows + ?, pruned_cost = pruned_cost + ?,
         pruned_charged = pruned_charged + ? where hour = ?`,
    ),
    addToWindow: database.prepare('update windows set pruned = pruned + ? where id = ?'),
  }
}
