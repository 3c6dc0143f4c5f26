import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { USAGE_SLOT_MS } from '../../../metering/usage-query.ts'
import { writeId } from '../../id-bytes.ts'
import { flagBits, rowColumns, stateCodes } from '../ledger-tables.ts'
import { parseToolCalls } from '../parse-tool-calls.ts'
import { BatchNames } from './batch-names.ts'
import { OpenIntents } from './open-intents.ts'
import { packCounted } from './pack-amounts.ts'
import { type PackedBatch, PackedReader } from './packed-batch.ts'
import { PendingSums } from './pending-sums.ts'
import { type UnpackedRow, unpackIntent, unpackRow } from './unpack-batch.ts'

/** Writes packed batches, each in one transaction, on the thread that owns the file. */
export class BatchWriter {
  readonly #database: DatabaseSync
  readonly #addRow: StatementSync
  readonly #names: BatchNames
  readonly #sums: PendingSums
  readonly #intents: OpenIntents
  #nextNumber: number

  constructor(database: DatabaseSync) {
    this.#database = database
    this.#addRow = prepareAddRow(database)
    this.#names = new BatchNames(database)
    this.#sums = new PendingSums(database)
    this.#intents = new OpenIntents(database)
    this.#nextNumber = readLastNumber(database) + 1
  }

  /** Returns the IDs of rows that existed already. */
  write(batch: PackedBatch): readonly string[] {
    this.#names.add(batch)
    this.#database.exec('begin immediate')
    try {
      const known = this.#writeAll(batch)
      this.#database.exec('commit')
      return known
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('rollback')
      this.#names.forgetIds()
      this.#intents.reload()
      this.#nextNumber = readLastNumber(this.#database) + 1
      throw error
    } finally {
      this.#sums.clear()
    }
  }

  #writeAll(batch: PackedBatch): readonly string[] {
    const known: string[] = []
    const reader = new PackedReader(batch)
    const intents = Array.from({ length: batch.intents }, () => unpackIntent(reader, this.#names))
    this.#intents.add(intents)
    for (let index = 0; index < batch.checkpoints; index += 1) {
      const outputTokens = reader.number()
      this.#intents.setCheckpoint(reader.text(), outputTokens)
    }
    for (let index = 0; index < batch.rows; index += 1) {
      const row = unpackRow(reader, this.#names)
      if (!this.#writeRow(row)) known.push(row.id)
    }
    this.#sums.write()
    if (batch.intents + batch.checkpoints + batch.rows === 0) this.#intents.probe()
    return known
  }

  /** False where the row existed already. */
  #writeRow(row: UnpackedRow): boolean {
    const { changes } = this.#addRow.run(
      this.#nextNumber,
      writeId(row.id, 'row'),
      writeId(row.requestId, 'request'),
      row.attempt,
      row.subject,
      row.tags,
      row.state,
      row.flags,
      row.tier,
      row.endedAtMs,
      row.endedAtMs - row.startedAtMs,
      ...row.usage,
      row.cost,
      row.charged,
      row.toolCalls === '' ? null : row.toolCalls,
      row.corrects === '' ? null : writeId(row.corrects, 'row'),
      packCounted(row.counted, row),
    )
    this.#intents.end(row.id)
    if (changes === 0) return false
    this.#addUp(row, this.#nextNumber)
    this.#nextNumber += 1
    return true
  }

  #addUp(row: UnpackedRow, number: number): void {
    const slot = Math.floor(row.endedAtMs / USAGE_SLOT_MS)
    this.#sums.addToHour(slot, number)
    for (const { window, amount } of row.counted) this.#sums.addToWindow(window, amount)
    const cell = { slot, subject: row.subject, tags: row.tags }
    addToCell(this.#sums.cell(cell), row)
    if (row.toolCalls !== '') this.#sums.addToolCalls(cell, parseToolCalls(row.toolCalls))
  }
}

/** Adds a row to sums that are in the order of `measures`. */
function addToCell(sums: Float64Array, row: UnpackedRow): void {
  const counts = row.corrects === '' ? countsOf(row) : countsOfCorrection(row)
  const added = [...counts, row.cost, row.charged, ...row.usage]
  for (const [index, value] of added.entries()) sums[index] = (sums[index] ?? 0) + value
}

/** A correction is not a separate attempt, and its attempt is no longer counted as an estimate. */
function countsOfCorrection({ state }: UnpackedRow): readonly number[] {
  return [0, 0, 0, state === stateCodes.settled ? -1 : 0]
}

function countsOf({ attempt, state, flags }: UnpackedRow): readonly number[] {
  const isFailed = state === stateCodes.void || (flags & flagBits.failed) !== 0
  return [1, attempt === 1 ? 1 : 0, isFailed ? 1 : 0, state === stateCodes.estimated ? 1 : 0]
}

/** The last row number that was assigned. No number is assigned twice, even where all rows were pruned. */
function readLastNumber(database: DatabaseSync): number {
  const sql = `select max(coalesce((select max(number) from ledger), 0),
    coalesce((select max(last_number) from hours), 0)) as last`
  return Number(database.prepare(sql).get()?.['last'] ?? 0)
}

function prepareAddRow(database: DatabaseSync): StatementSync {
  return database.prepare(
    `insert into ledger (${rowColumns.join(', ')}) values (${rowColumns.map(() => '?').join(', ')})
     on conflict (id) do nothing
     on conflict (corrects) where corrects is not null do nothing`,
  )
}
