import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type PackedBatch, type PackedSubject, type PackedWindow, subjectFields } from './packed-batch.ts'

/**
 * The subjects and windows of packed batches, by the numbers that the packer gave them. Their ids in the tables are
 * looked up, and written, when a row first needs them.
 */
export class BatchNames {
  #subjects: PackedSubject[] = []
  #windows: PackedWindow[] = []
  #subjectIds: number[] = []
  #windowIds: number[] = []
  readonly #addSubject: StatementSync
  readonly #addCounter: StatementSync
  readonly #addWindow: StatementSync

  constructor(database: DatabaseSync) {
    // To set what is there already changes nothing; without it a row that is there would not be answered.
    this.#addSubject = database.prepare(
      `insert into subjects (${subjectFields.join(', ')}) values (${subjectFields.map(() => '?').join(', ')})
       on conflict do update set key_id = excluded.key_id returning id`,
    )
    this.#addCounter = database.prepare(
      'insert into counters (name) values (?) on conflict do update set name = excluded.name returning id',
    )
    this.#addWindow = database.prepare(
      `insert into windows (counter, start_ms, end_ms, spent) values (?, ?, ?, 0)
       on conflict (counter, start_ms) do update set end_ms = excluded.end_ms returning id`,
    )
  }

  take({ isFirst, subjects, windows }: PackedBatch): void {
    if (isFirst) {
      this.#subjects = []
      this.#windows = []
      this.forgetIds()
    }
    this.#subjects.push(...subjects)
    this.#windows.push(...windows)
  }

  subjectId(number: number): number {
    const known = this.#subjectIds[number]
    if (known !== undefined) return known
    const id = readIdOf(this.#addSubject.get(...(this.#subjects[number] ?? [])))
    this.#subjectIds[number] = id
    return id
  }

  windowId(number: number): number {
    const known = this.#windowIds[number]
    if (known !== undefined) return known
    const [counter, startMs, endMs] = this.#windows[number] ?? ['', 0, null]
    const id = readIdOf(this.#addWindow.get(readIdOf(this.#addCounter.get(counter)), startMs, endMs))
    this.#windowIds[number] = id
    return id
  }

  /** After a transaction that was rolled back: some of them are not there. */
  forgetIds(): void {
    this.#subjectIds = []
    this.#windowIds = []
  }
}

function readIdOf(row: Record<string, unknown> | undefined): number {
  const id = row?.['id']
  if (typeof id !== 'number') throw new Error('a table of the ledger answered without an id')
  return id
}
