import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { readId, writeId, writeIdAsHex } from '../../id-bytes.ts'
import { bytesOf, numberOf } from '../../sqlite/column-values.ts'
import type { UnpackedIntent } from './unpack-batch.ts'

/**
 * The maximum age of a batch, in batches. Its open intents then move to the newest batch, so that few batches have to
 * be loaded.
 */
const MAX_BATCH_AGE = 1_000

/** The intents of one commit, in one row of the table. */
interface IntentBatch {
  number: number
  /** The number of its intents that have no ledger row yet. */
  open: number
}

/**
 * Writes and ends intents, inside the transaction of their batch. All intents of a commit share one table row, which
 * is deleted when the last of them ends (decision 0028).
 */
export class OpenIntents {
  readonly #database: DatabaseSync
  readonly #statements: Statements
  /** The open intents, by ID. */
  readonly #batchOf = new Map<string, IntentBatch>()
  /** The batches with open intents, the oldest first. */
  readonly #batches = new Set<IntentBatch>()
  readonly #withCheckpoint = new Set<string>()
  #nextNumber = 1

  constructor(database: DatabaseSync) {
    this.#database = database
    this.#statements = prepareStatements(database)
    database.exec('delete from intent_batches where number not in (select batch from open_intents)')
    this.reload()
  }

  /** Reads the open intents from the table, at the start and after a rollback. */
  reload(): void {
    this.#batchOf.clear()
    this.#batches.clear()
    this.#withCheckpoint.clear()
    this.#nextNumber = readLastNumber(this.#database) + 1
    let batch: IntentBatch | undefined
    for (const row of this.#database.prepare('select batch, id from open_intents order by batch').all()) {
      const number = numberOf(row['batch'])
      if (batch?.number !== number) batch = { number, open: 0 }
      batch.open += 1
      this.#batches.add(batch)
      this.#batchOf.set(readId(bytesOf(row['id']), 'row'), batch)
    }
    for (const { id } of this.#database.prepare('select id from checkpoints').all())
      this.#withCheckpoint.add(readId(bytesOf(id), 'row'))
  }

  /**
   * Writes the intents of a commit. An intent whose attempt has its row is settled, whichever of the two is written
   * first.
   */
  add(intents: readonly UnpackedIntent[]): void {
    const batch: IntentBatch = { number: this.#nextNumber, open: 0 }
    const added = intents.filter((intent) => this.#admit(intent, batch))
    if (added.length === 0) return
    this.#statements.addBatch.run(batch.number, JSON.stringify(added.map(writeIntent)))
    this.#nextNumber += 1
    this.#batches.add(batch)
    this.#moveOldest()
  }

  /** Performs the writes that intents need and leaves nothing, to see whether the disk accepts them. */
  probe(): void {
    this.#statements.addBatch.run(this.#nextNumber, '[]')
    this.#statements.endBatch.run(this.#nextNumber)
  }

  /** Stores the progress of an answer, where its attempt has an open intent. */
  setCheckpoint(id: string, outputTokens: number): void {
    if (!this.#batchOf.has(id)) return
    this.#statements.setCheckpoint.run(writeId(id, 'row'), outputTokens)
    this.#withCheckpoint.add(id)
  }

  /** Ends the intent of an attempt that now has its row. Most rows have no intent. */
  end(id: string): void {
    const batch = this.#batchOf.get(id)
    if (batch === undefined) return
    this.#batchOf.delete(id)
    if (this.#withCheckpoint.delete(id)) this.#statements.endCheckpoint.run(writeId(id, 'row'))
    batch.open -= 1
    if (batch.open > 0) return
    this.#batches.delete(batch)
    this.#statements.endBatch.run(batch.number)
  }

  #admit({ id }: UnpackedIntent, batch: IntentBatch): boolean {
    if (this.#batchOf.has(id)) return false
    this.#batchOf.set(id, batch)
    batch.open += 1
    return true
  }

  /**
   * Moves the open intents of the oldest batch to a new one. Otherwise one long stream would leave the intents of its
   * whole commit in the table.
   */
  #moveOldest(): void {
    const [oldest] = this.#batches
    if (oldest === undefined || this.#nextNumber - oldest.number <= MAX_BATCH_AGE) return
    this.#forgetSettled(oldest)
    if (oldest.open > 0) this.#statements.copyOpen.run(this.#nextNumber, oldest.number)
    this.#statements.endBatch.run(oldest.number)
    this.#batches.delete(oldest)
    if (oldest.open === 0) return
    oldest.number = this.#nextNumber
    this.#batches.add(oldest)
    this.#nextNumber += 1
  }

  /** Forgets intents that were written after their rows: nothing ends them, and the view does not show them. */
  #forgetSettled(batch: IntentBatch): void {
    const open = new Set(
      this.#statements.listOpen.all(batch.number).map(({ id }) => readId(bytesOf(id), 'row')),
    )
    batch.open = open.size
    for (const [id, of] of this.#batchOf) if (of === batch && !open.has(id)) this.#batchOf.delete(id)
  }
}

/**
 * An intent in its stored form, in the order in which the view `open_intents` reads its fields. The view has no column
 * for the last one.
 */
function writeIntent(intent: UnpackedIntent): readonly unknown[] {
  return [
    writeIdAsHex(intent.id, 'row'),
    writeIdAsHex(intent.requestId, 'request'),
    intent.attempt,
    intent.subject,
    intent.tags,
    intent.startedAtMs,
    intent.expiresAtMs,
    intent.inputTokens,
    intent.multiplierPpm,
    intent.held.map(({ window, amount, counts }) => [window, Math.max(0, amount), counts]),
    ...(intent.unseen === undefined ? [] : [intent.unseen]),
  ]
}

function readLastNumber(database: DatabaseSync): number {
  return Number(database.prepare('select max(number) as last from intent_batches').get()?.['last'] ?? 0)
}

interface Statements {
  readonly listOpen: StatementSync
  readonly addBatch: StatementSync
  readonly copyOpen: StatementSync
  readonly endBatch: StatementSync
  readonly setCheckpoint: StatementSync
  readonly endCheckpoint: StatementSync
}

function prepareStatements(database: DatabaseSync): Statements {
  return {
    listOpen: database.prepare('select id from open_intents where batch = ?'),
    addBatch: database.prepare('insert into intent_batches (number, intents) values (?, ?)'),
    copyOpen: database.prepare(
      'insert into intent_batches (number, intents) select ?, json_group_array(json(intent)) from open_intents where batch = ?',
    ),
    endBatch: database.prepare('delete from intent_batches where number = ?'),
    setCheckpoint: database.prepare(
      `insert into checkpoints (id, output_tokens) values (?, ?)
       on conflict do update set output_tokens = max(output_tokens, excluded.output_tokens)`,
    ),
    endCheckpoint: database.prepare('delete from checkpoints where id = ?'),
  }
}
