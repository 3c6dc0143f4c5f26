import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { numberOf } from '../../sqlite/column-values.ts'
import { subjectColumns } from '../ledger-tables.ts'
import type { PackedBatch, PackedSubject, PackedWindow } from './packed-batch.ts'

/**
 * The subjects, tags and windows of packed batches, by the numbers that the packer assigned. Their IDs in the tables
 * are looked up, and written, when a row first needs them.
 */
export class BatchNames {
  #subjects: PackedSubject[] = []
  #tags: string[] = []
  #windows: PackedWindow[] = []
  #subjectIds: number[] = []
  #tagsIds: number[] = []
  #windowIds: number[] = []
  readonly #statements: ReturnType<typeof prepareStatements>

  constructor(database: DatabaseSync) {
    this.#statements = prepareStatements(database)
  }

  add({ isFirst, subjects, tags, windows }: PackedBatch): void {
    if (isFirst) {
      this.#subjects = []
      // The number 0 means no tags.
      this.#tags = ['']
      this.#windows = []
      this.forgetIds()
    }
    this.#subjects.push(...subjects)
    this.#tags.push(...tags)
    this.#windows.push(...windows)
  }

  subjectId(number: number): number {
    const known = this.#subjectIds[number]
    if (known !== undefined) return known
    const { addName, addSubject } = this.#statements
    const id = idOf(addSubject, ...(this.#subjects[number] ?? []).map((name) => idOf(addName, name)))
    this.#subjectIds[number] = id
    return id
  }

  tagsId(number: number): number {
    if (number === 0) return 0
    const known = this.#tagsIds[number]
    if (known !== undefined) return known
    const id = idOf(this.#statements.addTags, this.#tags[number] ?? '')
    this.#tagsIds[number] = id
    return id
  }

  windowId(number: number): number {
    const known = this.#windowIds[number]
    if (known !== undefined) return known
    const { addCounter, addWindow } = this.#statements
    const [counter, startMs, endMs] = this.#windows[number] ?? ['', 0, null]
    const id = idOf(addWindow, idOf(addCounter, counter), startMs, endMs)
    this.#windowIds[number] = id
    return id
  }

  /** Forgets the IDs after a rollback, since some of them are not in the tables. */
  forgetIds(): void {
    this.#subjectIds = []
    this.#tagsIds = []
    this.#windowIds = []
  }
}

function idOf(statement: StatementSync, ...values: (string | number | null)[]): number {
  return numberOf(statement.get(...values)?.['id'])
}

/**
 * Prepares the statements. The update sets the existing value, which changes nothing; without the update the
 * statement would return no row.
 */
function prepareStatements(database: DatabaseSync) {
  const fields = subjectColumns.join(', ')
  return {
    addName: database.prepare(
      'insert into names (name) values (?) on conflict do update set name = excluded.name returning id',
    ),
    addSubject: database.prepare(
      `insert into subjects (${fields}) values (${subjectColumns.map(() => '?').join(', ')})
       on conflict do update set key_id = excluded.key_id returning id`,
    ),
    addTags: database.prepare(
      'insert into tag_sets (tags) values (?) on conflict do update set tags = excluded.tags returning id',
    ),
    addCounter: database.prepare(
      'insert into counters (name) values (?) on conflict do update set name = excluded.name returning id',
    ),
    addWindow: database.prepare(
      `insert into windows (counter, start_ms, end_ms, spent) values (?, ?, ?, 0)
       on conflict (counter, start_ms) do update set end_ms = excluded.end_ms returning id`,
    ),
  }
}
