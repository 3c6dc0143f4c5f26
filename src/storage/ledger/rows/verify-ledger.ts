import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite'
import { type LedgerCheck, MAX_DIFFERENCES } from '../../../metering/ledger-reader.ts'
import { USAGE_SLOT_MS } from '../../../metering/usage-query.ts'
import { readId } from '../../id-bytes.ts'
import { numberOf } from '../../sqlite/column-values.ts'
import { DamagedStoreError } from '../../sqlite/damaged-store-error.ts'
import { readCounted } from '../batch/pack-amounts.ts'
import { SLOTS_AN_HOUR, usageMeasures } from '../ledger-tables.ts'
import { CellSums } from './cell-sums.ts'
import { compareDays, compareHour } from './compare-cells.ts'

/** The number of rows between two pauses, in which the thread handles other messages. */
const ROWS_A_STEP = 2_000
const HOUR_SLOTS_MS = SLOTS_AN_HOUR * USAGE_SLOT_MS

/**
 * Adds up all rows again and compares the result with the stored sums: usage by hour and subject, usage by day, and
 * the sum of each budget's window. It reads one snapshot, on its own connection.
 */
export function* verifyLedger(
  database: DatabaseSync,
  nowMs: number,
): Generator<void, LedgerCheck, undefined> {
  database.exec('begin')
  try {
    const check = new Check(database)
    yield* check.compareHours()
    yield* compareDays(database, check.report)
    check.compareWindows()
    check.compareIntents(nowMs)
    return check.result()
  } finally {
    database.exec('commit')
  }
}

class Check {
  readonly #database: DatabaseSync
  readonly #differences: string[] = []
  #differenceCount = 0
  #rows = 0
  #prunedRows = 0
  #windows = 0
  #openIntents = 0
  /** The counted amounts by window ID. */
  readonly #counted: bigint[] = []

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  readonly report = (difference: string): void => {
    this.#differenceCount += 1
    if (this.#differences.length < MAX_DIFFERENCES) this.#differences.push(difference)
  };

  *compareHours(): Generator<void, void, undefined> {
    const readRows = prepareRows(this.#database)
    const hours = this.#database.prepare('select * from hours order by hour').all()
    for (const row of hours) {
      const hour = numberOf(row['hour'])
      const sums = new CellSums()
      for (const stored of readRows.iterate(numberOf(row['first_number']), numberOf(row['last_number']))) {
        if (Math.floor(numberOf(stored[columnOf.endedAtMs]) / HOUR_SLOTS_MS) !== hour) continue
        this.#addRow(stored, sums)
        if (this.#rows % ROWS_A_STEP === 0) yield
      }
      const pruned = {
        rows: numberOf(row['pruned_rows']),
        cost: numberOf(row['pruned_cost']),
        charged: numberOf(row['pruned_charged']),
      }
      this.#prunedRows += pruned.rows
      compareHour(this.#database, { hour, sums, pruned, report: this.report })
      yield
    }
    const total = numberOf(this.#database.prepare('select count(*) as rows from ledger').get()?.['rows'])
    if (total !== this.#rows) this.report(`${total - this.#rows} rows belong to no hour`)
  }

  #addRow(row: StoredRow, sums: CellSums): void {
    this.#rows += 1
    const amounts = { cost: numberOf(row[columnOf.cost]), charged: numberOf(row[columnOf.charged]) }
    sums.add({
      slot: Math.floor(numberOf(row[columnOf.endedAtMs]) / USAGE_SLOT_MS),
      subject: numberOf(row[columnOf.subject]),
      tags: numberOf(row[columnOf.tags]),
      attempt: numberOf(row[columnOf.attempt]),
      state: numberOf(row[columnOf.state]),
      flags: numberOf(row[columnOf.flags]),
      isCorrection: row[columnOf.corrects] === 1,
      ...amounts,
      usage: usageMeasures.map((_, index) => numberOf(row[columnOf.usage + index])),
      toolCalls: row[columnOf.toolCalls],
    })
    const counted = row[columnOf.counted]
    readCounted(counted instanceof Uint8Array ? counted : null, amounts, (window, amount) => {
      this.#counted[window] = (this.#counted[window] ?? 0n) + BigInt(amount)
    })
  }

  compareWindows(): void {
    const statement = this.#database.prepare(
      `select windows.id, counters.name, start_ms, spent, pruned
       from windows join counters on counters.id = windows.counter`,
    )
    statement.setReadBigInts(true)
    for (const row of statement.iterate()) {
      this.#windows += 1
      const id = Number(row['id'])
      const [spent, pruned] = [bigOf(row['spent']), bigOf(row['pruned'])]
      const counted = (this.#counted[id] ?? 0n) + pruned
      delete this.#counted[id]
      if (counted === spent) continue
      const start = new Date(Number(row['start_ms'])).toISOString()
      this.report(`the window of ${row['name']} from ${start} has ${spent} nano-dollars, its rows ${counted}`)
    }
    for (const id in this.#counted) this.report(`rows are counted in the window ${id}, which is not there`)
  }

  compareIntents(nowMs: number): void {
    const rows = this.#database.prepare('select id, expires_at_ms from open_intents').all()
    this.#openIntents = rows.length
    for (const { id, expires_at_ms } of rows) {
      const expiresAtMs = numberOf(expires_at_ms)
      if (expiresAtMs >= nowMs) continue
      const name = id instanceof Uint8Array ? readId(id, 'row') : ''
      this.report(`the hold of ${name} expired at ${new Date(expiresAtMs).toISOString()} and is not settled`)
    }
  }

  result(): LedgerCheck {
    return {
      rows: this.#rows,
      prunedRows: this.#prunedRows,
      windows: this.#windows,
      openIntents: this.#openIntents,
      differences: this.#differences,
      differenceCount: this.#differenceCount,
    }
  }
}

type StoredRow = Readonly<Record<number, SQLOutputValue>>

const columnOf = {
  endedAtMs: 0,
  subject: 1,
  attempt: 2,
  state: 3,
  flags: 4,
  corrects: 5,
  cost: 6,
  charged: 7,
  toolCalls: 8,
  counted: 9,
  tags: 10,
  /** The first usage column; the others follow. */
  usage: 11,
} as const

function prepareRows(database: DatabaseSync): StatementSync {
  const statement = database.prepare(
    `select ended_at_ms, subject, attempt, state, flags, corrects is not null, cost, charged, tool_calls, counted, tags,
       ${usageMeasures.join(', ')}
     from ledger where number >= ? and number <= ? order by number`,
  )
  statement.setReturnArrays(true)
  return statement
}

function bigOf(value: SQLOutputValue | undefined): bigint {
  if (typeof value === 'bigint') return value
  throw new DamagedStoreError('a table of the ledger holds something else than a number')
}
