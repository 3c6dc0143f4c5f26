import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite'
import type { NanoDollars } from '../../../canonical/money.ts'
import { brand } from '../../../kit/values/brand.ts'
import type { ExportQuery } from '../../../metering/ledger-reader.ts'
import { flagNames } from '../../../metering/ledger-row.ts'
import { idPrefixes } from '../../id-bytes.ts'
import { numberOf } from '../../sqlite/column-values.ts'
import { flagBits, stateCodes, tierCodes } from '../ledger-tables.ts'
import { createTimeWriter } from './create-time-writer.ts'
import { type ExportedRow, type ExportFormat, exportFormats } from './export-format.ts'
import { FittingHours } from './fitting-hours.ts'
import { fitsRow, hasSubjectFilter, SubjectFilter } from './subject-filter.ts'
import type { SubjectIndex } from './subject-index.ts'

/** Rows of one chunk, which is about a megabyte. */
const ROWS_A_CHUNK = 4_000
/** Looked through for one chunk where few may fit. */
const NUMBERS_A_CHUNK = 100_000
/** Of subjects, in memory. */
const MOST_TEXTS = 100_000

/** Where an export is. The thread holds nothing of it, so that none that is given up is left behind. */
export interface ExportPosition {
  /** The number of the next row. */
  readonly next: number
  readonly last: number
}

export interface ExportChunk {
  readonly bytes: Uint8Array
  /** Undefined after the last row. */
  readonly position: ExportPosition | undefined
}

/** Writes rows as lines, the oldest first, as many as there were when the export began. */
export class RowExporter {
  readonly #subjects: SubjectIndex
  readonly #hours: FittingHours
  readonly #lastNumber: StatementSync
  readonly #statements: Readonly<Record<ExportQuery['format'], StatementSync>>
  readonly #texts = { csv: new SubjectTexts('csv'), jsonl: new SubjectTexts('jsonl') }

  readonly #rowsAChunk: number

  constructor(database: DatabaseSync, subjects: SubjectIndex, rowsAChunk = ROWS_A_CHUNK) {
    this.#subjects = subjects
    this.#rowsAChunk = rowsAChunk
    this.#hours = new FittingHours(database)
    this.#lastNumber = database.prepare('select max(number) as last from ledger')
    this.#statements = {
      csv: prepareRows(database, exportFormats.csv),
      jsonl: prepareRows(database, exportFormats.jsonl),
    }
  }

  chunk(query: ExportQuery, position: ExportPosition | undefined): ExportChunk {
    this.#subjects.refresh()
    const { next, last } = position ?? this.#start(query)
    const lines = [position === undefined ? exportFormats[query.format].header : '']
    const end = Math.min(last, next + NUMBERS_A_CHUNK - 1)
    const filter = new SubjectFilter(this.#subjects, query)
    const subjects = hasSubjectFilter(query) ? this.#listSubjects(filter) : null
    const rows = this.#statements[query.format].all(next, end, subjects, subjects, this.#rowsAChunk)
    for (const row of rows) {
      const endedAtMs = numberOf(row[columnOf.endedAtMs])
      if (fitsRow(row[columnOf.state], endedAtMs, query) && filter.fitsTags(numberOf(row[columnOf.tags])))
        lines.push(this.#line(row, query.format))
    }
    const reached = rows.length < this.#rowsAChunk ? end : numberOf(rows.at(-1)?.[columnOf.number])
    return {
      bytes: Buffer.from(lines.join(''), 'utf8'),
      position: reached >= last ? undefined : { next: reached + 1, last },
    }
  }

  /** From the first row of the first hour that is asked for to the last one of the last. */
  #start(query: ExportQuery): ExportPosition {
    const newest = this.#lastNumber.get()?.['last']
    const end = typeof newest === 'number' ? newest : 0
    if (query.sinceMs === undefined && query.untilMs === undefined) return { next: 1, last: end }
    let [next, last] = [end + 1, 0]
    for (const range of this.#hours.list(query, { before: end + 1, filter: undefined })) {
      next = Math.min(next, range.first)
      last = Math.max(last, range.last)
    }
    return { next, last: Math.min(last, end) }
  }

  /** The ids of those that fit, as JSON. */
  #listSubjects(filter: SubjectFilter): string {
    const ids = Array.from({ length: this.#subjects.lastId }, (_, index) => index + 1)
    return JSON.stringify(ids.filter((id) => filter.fitsSubject(id)))
  }

  #line(row: StoredRow, format: ExportQuery['format']): string {
    const flags = numberOf(row[columnOf.flags])
    const exported: ExportedRow = {
      number: numberOf(row[columnOf.number]),
      endedAt: writeTime(numberOf(row[columnOf.endedAtMs])),
      durationMs: numberOf(row[columnOf.durationMs]),
      id: readIdText(row[columnOf.id], idPrefixes.row),
      requestId: readIdText(row[columnOf.requestId], idPrefixes.request),
      attempt: numberOf(row[columnOf.attempt]),
      state: states[numberOf(row[columnOf.state])] ?? '',
      tier: tiers[numberOf(row[columnOf.tier])] ?? '',
      usage: String(row[columnOf.usage]),
      isUsageEstimated: (flags & flagBits.usageEstimated) !== 0,
      cost: brand<NanoDollars>(numberOf(row[columnOf.cost])),
      charged: brand<NanoDollars>(numberOf(row[columnOf.charged])),
      toolCalls: textOf(row[columnOf.toolCalls]),
      flags: listFlags(flags),
      corrects: row[columnOf.corrects] === null ? null : readIdText(row[columnOf.corrects], idPrefixes.row),
    }
    const texts = this.#texts[format]
    const subject = texts.subject(numberOf(row[columnOf.subject]), this.#subjects)
    return exportFormats[format].line(
      exported,
      subject,
      texts.tags(numberOf(row[columnOf.tags]), this.#subjects),
    )
  }
}

/** What many rows have in common, as text. */
class SubjectTexts {
  readonly #format: ExportFormat
  readonly #subjects = new Map<number, string>()
  readonly #tags = new Map<number, string>()

  constructor(format: ExportQuery['format']) {
    this.#format = exportFormats[format]
  }

  subject(id: number, index: SubjectIndex): string {
    const known = this.#subjects.get(id)
    if (known !== undefined) return known
    const subject = index.get(id)
    if (subject === undefined) throw new Error('a row of the ledger has no subject')
    return remember(this.#subjects, id, this.#format.subject(subject))
  }

  tags(id: number, index: SubjectIndex): string {
    return this.#tags.get(id) ?? remember(this.#tags, id, this.#format.tags(index.tagsOf(id)))
  }
}

function remember(texts: Map<number, string>, id: number, text: string): string {
  if (texts.size >= MOST_TEXTS) texts.clear()
  texts.set(id, text)
  return text
}

const writeTime = createTimeWriter()

type StoredRow = Readonly<Record<number, SQLOutputValue>>

const columnOf = {
  number: 0,
  subject: 1,
  endedAtMs: 2,
  durationMs: 3,
  id: 4,
  requestId: 5,
  attempt: 6,
  state: 7,
  tier: 8,
  flags: 9,
  usage: 10,
  cost: 11,
  charged: 12,
  toolCalls: 13,
  corrects: 14,
  tags: 15,
} as const

/** Ids of sixteen bytes as hex: a blob for each would cost more than the rest of the row. */
function prepareRows(database: DatabaseSync, { usageSql }: ExportFormat): StatementSync {
  const idSql = (name: string) =>
    `case length(${name}) when 16 then hex(${name}) else cast(${name} as text) end`
  const statement = database.prepare(
    `select number, subject, ended_at_ms, duration_ms, ${idSql('id')}, ${idSql('request_id')}, attempt, state, tier,
       flags, ${usageSql}, cost, charged, tool_calls, ${idSql('corrects')}, tags
     from ledger
     where number >= ? and number <= ? and (? is null or subject in (select value from json_each(?)))
     order by number limit ?`,
  )
  statement.setReturnArrays(true)
  return statement
}

const HEX_CHARACTERS = 32

function readIdText(value: SQLOutputValue | undefined, prefix: string): string {
  const text = String(value)
  if (text.length !== HEX_CHARACTERS) return text.replace(/\0$/, '')
  const hex = text.toLowerCase()
  return `${prefix}${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

function textOf(value: SQLOutputValue | undefined): string | null {
  return typeof value === 'string' ? value : null
}

const states = namesByCode(stateCodes)
const tiers = namesByCode(tierCodes)

function namesByCode(codes: Readonly<Record<string, number>>): readonly (string | undefined)[] {
  const names: (string | undefined)[] = []
  for (const [name, code] of Object.entries(codes)) names[code] = name
  return names
}

function listFlags(flags: number): readonly string[] {
  if (flags === 0) return noFlags
  return flagNames.flatMap(([flag, name]) => ((flags & flagBits[flag]) === 0 ? [] : [name]))
}

const noFlags: readonly string[] = []
