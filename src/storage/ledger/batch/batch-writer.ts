import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { USAGE_SLOT_MS } from '../../../metering/usage-query.ts'
import { readId, writeId } from '../../id-bytes.ts'
import { flagBits, rowColumns, stateCodes } from '../ledger-tables.ts'
import { parseToolCalls } from '../parse-tool-calls.ts'
import { BatchNames } from './batch-names.ts'
import { packCounted, packHeld } from './pack-amounts.ts'
import { type PackedBatch, PackedReader } from './packed-batch.ts'
import { PendingSums } from './pending-sums.ts'
import { type UnpackedIntent, type UnpackedRow, unpackIntent, unpackRow } from './unpack-batch.ts'

/** Writes packed batches, each in one transaction, on the thread that owns the file. */
export class BatchWriter {
  readonly #database: DatabaseSync
  readonly #statements: Statements
  readonly #names: BatchNames
  readonly #sums: PendingSums
  /** The ids of intents in the table: most rows have none to end. */
  #openIntents: Set<string>
  #nextNumber: number

  constructor(database: DatabaseSync) {
    this.#database = database
    this.#statements = prepareStatements(database)
    this.#names = new BatchNames(database)
    this.#sums = new PendingSums(database)
    this.#openIntents = readIntentIds(database)
    this.#nextNumber = readLastNumber(database) + 1
  }

  write(batch: PackedBatch): void {
    this.#names.add(batch)
    this.#database.exec('begin immediate')
    try {
      this.#writeAll(batch)
      this.#database.exec('commit')
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('rollback')
      this.#names.forgetIds()
      this.#openIntents = readIntentIds(this.#database)
      this.#nextNumber = readLastNumber(this.#database) + 1
      throw error
    } finally {
      this.#sums.clear()
    }
  }

  #writeAll(batch: PackedBatch): void {
    const reader = new PackedReader(batch)
    for (let index = 0; index < batch.intents; index += 1)
      this.#writeIntent(unpackIntent(reader, this.#names))
    for (let index = 0; index < batch.checkpoints; index += 1) {
      this.#statements.setCheckpoint.run(reader.number(), writeId(reader.text(), 'row'))
    }
    for (let index = 0; index < batch.rows; index += 1) this.#writeRow(unpackRow(reader, this.#names))
    this.#sums.write()
  }

  #writeIntent(intent: UnpackedIntent): void {
    const { changes } = this.#statements.addIntent.run(
      intent.id,
      intent.requestId,
      intent.attempt,
      intent.subject,
      intent.tags,
      intent.startedAtMs,
      intent.expiresAtMs,
      intent.inputTokens,
      intent.multiplierPpm,
      packHeld(intent.held),
      intent.id,
    )
    if (changes === 1) this.#openIntents.add(intent.idText)
  }

  #writeRow(row: UnpackedRow): void {
    const { changes } = this.#statements.addRow.run(
      this.#nextNumber,
      row.id,
      row.requestId,
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
    if (this.#openIntents.delete(row.idText)) this.#statements.endIntent.run(row.id)
    if (changes === 0) return
    this.#addUp(row, this.#nextNumber)
    this.#nextNumber += 1
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

/** Adds a row to sums in the order of `measures`. */
function addToCell(sums: Float64Array, row: UnpackedRow): void {
  const counts = row.corrects === '' ? countsOf(row) : countsOfCorrection(row)
  const added = [...counts, row.cost, row.charged, ...row.usage]
  for (const [index, value] of added.entries()) sums[index] = (sums[index] ?? 0) + value
}

/** A correction is no attempt of its own, and its attempt no longer counts as an estimate. */
function countsOfCorrection({ state }: UnpackedRow): readonly number[] {
  return [0, 0, 0, state === stateCodes.settled ? -1 : 0]
}

function countsOf({ attempt, state, flags }: UnpackedRow): readonly number[] {
  const isFailed = state === stateCodes.void || (flags & flagBits.failed) !== 0
  return [1, attempt === 1 ? 1 : 0, isFailed ? 1 : 0, state === stateCodes.estimated ? 1 : 0]
}

function readIntentIds(database: DatabaseSync): Set<string> {
  const rows = database.prepare('select id from intents').all()
  return new Set(rows.flatMap(({ id }) => (id instanceof Uint8Array ? [readId(id, 'row')] : [])))
}

/** The last number that was given: none is given twice, even where all rows were pruned. */
function readLastNumber(database: DatabaseSync): number {
  const sql = `select max(coalesce((select max(number) from ledger), 0),
    coalesce((select max(last_number) from hours), 0)) as last`
  return Number(database.prepare(sql).get()?.['last'] ?? 0)
}

interface Statements {
  readonly addIntent: StatementSync
  readonly setCheckpoint: StatementSync
  readonly addRow: StatementSync
  readonly endIntent: StatementSync
}

function prepareStatements(database: DatabaseSync): Statements {
  return {
    // An attempt with a row is settled, whichever of the two comes first.
    addIntent: database.prepare(
      `insert into intents (id, request_id, attempt, subject, tags, started_at_ms, expires_at_ms, input_tokens,
         multiplier_ppm, held, output_tokens)
       select ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0 where not exists (select 1 from ledger where id = ?)
       on conflict do nothing`,
    ),
    setCheckpoint: database.prepare('update intents set output_tokens = max(output_tokens, ?) where id = ?'),
    addRow: database.prepare(
      `insert into ledger (${rowColumns.join(', ')}) values (${rowColumns.map(() => '?').join(', ')})
       on conflict (id) do nothing
       on conflict (corrects) where corrects is not null do nothing`,
    ),
    endIntent: database.prepare('delete from intents where id = ?'),
  }
}
