import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { numberOf } from '../../sqlite/column-values.ts'
import { subjectColumns } from '../ledger-tables.ts'
import { parseTagSet, type SubjectField, type SubjectRow, type TagSet } from './subject-row.ts'

const noTags: TagSet = {}
const MAX_TAG_SETS = 100_000
const FIELD_COUNT = subjectColumns.length

/** The subjects in memory, by the numbers of their names: reports look them up for every cell. */
export class SubjectIndex {
  readonly #statements: ReturnType<typeof prepareStatements>
  /** The names by their IDs, which begin at 1. */
  readonly #names: string[] = ['']
  readonly #nameIds = new Map<string, number>()
  /**
   * The name numbers of all subjects, one subject after the other. The first position belongs to the ID 0, which
   * means no subject.
   */
  #fields = new Uint32Array(FIELD_COUNT * 1_024)
  #lastId = 0
  readonly #tags = new Map<number, TagSet>()

  constructor(database: DatabaseSync) {
    this.#statements = prepareStatements(database)
  }

  /** Reads names and subjects that were added since the last call. */
  refresh(): void {
    for (const row of this.#statements.names.iterate(this.#names.length - 1)) {
      const name = String(row[1])
      this.#names[numberOf(row[0])] = name
      this.#nameIds.set(name, numberOf(row[0]))
    }
    for (const row of this.#statements.subjects.iterate(this.#lastId)) {
      this.#lastId = numberOf(row[0])
      if ((this.#lastId + 1) * FIELD_COUNT > this.#fields.length) this.#grow()
      for (let field = 0; field < FIELD_COUNT; field += 1)
        this.#fields[this.#lastId * FIELD_COUNT + field] = numberOf(row[field + 1])
    }
  }

  /** The highest subject ID. */
  get lastId(): number {
    return this.#lastId
  }

  /** The number of a subject's name in one field. */
  nameIdOf(subject: number, field: SubjectField): number {
    return this.#fields[subject * FIELD_COUNT + subjectColumns.indexOf(field)] ?? 0
  }

  nameOf(nameId: number): string {
    return this.#names[nameId] ?? ''
  }

  /** Undefined where no subject has the name. */
  findName(name: string): number | undefined {
    return this.#nameIds.get(name)
  }

  /** Undefined where there is no such subject. */
  get(subject: number): SubjectRow | undefined {
    if (subject < 1 || subject > this.#lastId) return undefined
    const name = (field: SubjectField) => this.nameOf(this.nameIdOf(subject, field))
    return {
      key_id: name('key_id'),
      key_name: name('key_name'),
      user_id: name('user_id'),
      group_name: name('group_name'),
      model: name('model'),
      channel: name('channel'),
      upstream_model: name('upstream_model'),
      price_version: name('price_version'),
    }
  }

  /** Reads a set of tags. They are not all in memory: there may be as many as requests. */
  tagsOf(id: number): TagSet {
    if (id === 0) return noTags
    const known = this.#tags.get(id)
    if (known !== undefined) return known
    const tags = parseTagSet(String(this.#statements.tags.get(id)?.[0] ?? '[]'))
    if (this.#tags.size >= MAX_TAG_SETS) this.#tags.clear()
    this.#tags.set(id, tags)
    return tags
  }

  /** The newest names of keys, by key ID. */
  keyNames(keyIds: ReadonlySet<string>): Record<string, string> {
    const wanted = new Set([...keyIds].flatMap((id) => this.findName(id) ?? []))
    const names = new Map<number, number>()
    for (let subject = this.#lastId; subject > 0 && names.size < wanted.size; subject -= 1) {
      const key = this.nameIdOf(subject, 'key_id')
      if (wanted.has(key) && !names.has(key)) names.set(key, this.nameIdOf(subject, 'key_name'))
    }
    return Object.fromEntries([...names].map(([key, name]) => [this.nameOf(key), this.nameOf(name)]))
  }

  #grow(): void {
    const larger = new Uint32Array(this.#fields.length * 2)
    larger.set(this.#fields)
    this.#fields = larger
  }
}

function prepareStatements(database: DatabaseSync) {
  const prepare = (sql: string): StatementSync => {
    const statement = database.prepare(sql)
    statement.setReturnArrays(true)
    return statement
  }
  return {
    names: prepare('select id, name from names where id > ? order by id'),
    subjects: prepare(`select id, ${subjectColumns.join(', ')} from subjects where id > ? order by id`),
    tags: prepare('select tags from tag_sets where id = ?'),
  }
}
