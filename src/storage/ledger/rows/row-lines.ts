import type { SQLOutputValue } from 'node:sqlite'
import { NANO_DOLLARS_PER_DOLLAR, type NanoDollars, writeDollars } from '../../../canonical/money.ts'
import { brand } from '../../../kit/brand.ts'
import type { ByteWriter } from '../../../kit/bytes/byte-writer.ts'
import { idPrefixes } from '../../../kit/random/ids.ts'
import { flagNames } from '../../../metering/ledger-row.ts'
import { numberOf } from '../../sqlite/column-values.ts'
import { DamagedStoreError } from '../../sqlite/damaged-store-error.ts'
import { flagBits, stateCodes, tierCodes, usageMeasures } from '../ledger-tables.ts'
import type { ExportColumn, ExportFormat } from './export-format.ts'
import type { SubjectIndex } from './subject-index.ts'
import { TimeWriter } from './time-writer.ts'

/** The maximum number of subjects whose text is cached. */
const MAX_SUBJECT_TEXTS = 100_000
const HEX_CHARACTERS = 32
/** The mark in front of an ID that is not a UUID. */
const TEXT_MARK = '='
const DOT = 0x2e

/**
 * The number of usage classes that most rows have. They come first. All other classes are passed together, where
 * there are any.
 */
const COMMON_CLASSES = 6
const rareMeasures = usageMeasures.slice(COMMON_CLASSES)

/** The selected columns of a row, by index. */
export const exportedColumn = {
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
  cost: 10,
  charged: 11,
  toolCalls: 12,
  corrects: 13,
  tags: 14,
  firstUsage: 15,
  rareUsage: 15 + COMMON_CLASSES,
} as const

/** Reads 16-byte IDs as hex, so that no buffer is created for each row. */
const idSql = (name: string) =>
  `case length(${name}) when 16 then hex(${name}) else '${TEXT_MARK}' || cast(${name} as text) end`

export const exportedColumnsSql = [
  ...['number', 'subject', 'ended_at_ms', 'duration_ms', idSql('id'), idSql('request_id')],
  'attempt',
  'state',
  'tier',
  'flags',
  'cost',
  'charged',
  'tool_calls',
  `case when corrects is null then null else ${idSql('corrects')} end`,
  ...['tags', ...usageMeasures.slice(0, COMMON_CLASSES)],
  `case when ${rareMeasures.join(' | ')} then concat_ws(',', ${rareMeasures.join(', ')}) end`,
].join(', ')

type StoredRow = Readonly<Record<number, SQLOutputValue>>

/**
 * Writes rows as lines of one format. It writes hundreds of thousands of rows a second, so it creates no string for a
 * row.
 */
export class RowLines {
  readonly #format: ExportFormat
  readonly #index: SubjectIndex
  readonly #before: Readonly<Record<ExportColumn, Uint8Array>>
  readonly #beforeUsage: readonly Uint8Array[]
  readonly #noRareUsage: Uint8Array
  readonly #noCalls: Uint8Array
  readonly #noCorrects: Uint8Array
  readonly #end: Uint8Array
  readonly #times = new TimeWriter()
  readonly #subjects = new Map<number, Uint8Array>()
  readonly #tags = new Map<number, Uint8Array>()
  readonly #flags = new Map<number, Uint8Array>()

  constructor(format: ExportFormat, index: SubjectIndex) {
    this.#format = format
    this.#index = index
    this.#before = mapRecord(format.before)
    this.#beforeUsage = format.beforeUsage.map(bytesOfText)
    const noRareUsage = format.beforeUsage.slice(COMMON_CLASSES).map((before) => `${before}0`)
    this.#noRareUsage = bytesOfText(noRareUsage.join(''))
    this.#noCalls = bytesOfText(format.toolCalls(null))
    this.#noCorrects = bytesOfText(format.corrects.none)
    this.#end = bytesOfText(format.end)
  }

  write(out: ByteWriter, row: StoredRow): void {
    const before = this.#before
    out.bytes(before.number)
    out.number(numberOf(row[exportedColumn.number]))
    out.bytes(before.endedAt)
    this.#times.write(out, numberOf(row[exportedColumn.endedAtMs]))
    out.bytes(before.durationMs)
    out.number(numberOf(row[exportedColumn.durationMs]))
    out.bytes(before.requestId)
    this.#writeId(out, row[exportedColumn.requestId], REQUEST)
    out.bytes(before.attempt)
    out.number(numberOf(row[exportedColumn.attempt]))
    out.bytes(before.id)
    this.#writeId(out, row[exportedColumn.id], ROW)
    out.bytes(before.subject)
    out.bytes(this.#subjectOf(numberOf(row[exportedColumn.subject])))
    out.bytes(before.tags)
    out.bytes(this.#tagsOf(numberOf(row[exportedColumn.tags])))
    this.#writeUsage(out, row)
    out.bytes(before.cost)
    writeAmount(out, numberOf(row[exportedColumn.cost]))
    out.bytes(before.charged)
    writeAmount(out, numberOf(row[exportedColumn.charged]))
    out.bytes(before.flags)
    out.bytes(this.#flagsOf(numberOf(row[exportedColumn.flags])))
    this.#writeCorrects(out, row[exportedColumn.corrects])
    out.bytes(this.#end)
  }

  #writeUsage(out: ByteWriter, row: StoredRow): void {
    const before = this.#before
    out.bytes(before.state)
    out.bytes(states[numberOf(row[exportedColumn.state])] ?? nothing)
    out.bytes(before.tier)
    out.bytes(tiers[numberOf(row[exportedColumn.tier])] ?? nothing)
    for (let index = 0; index < COMMON_CLASSES; index += 1) {
      out.bytes(this.#beforeUsage[index] ?? nothing)
      out.number(numberOf(row[exportedColumn.firstUsage + index]))
    }
    this.#writeRareUsage(out, row[exportedColumn.rareUsage])
    out.bytes(before.toolCalls)
    const calls = row[exportedColumn.toolCalls]
    if (typeof calls === 'string') out.text(this.#format.toolCalls(calls))
    else out.bytes(this.#noCalls)
    out.bytes(before.usageEstimated)
    const isEstimated = (numberOf(row[exportedColumn.flags]) & flagBits.usageEstimated) !== 0
    out.bytes(isEstimated ? yes : no)
  }

  #writeRareUsage(out: ByteWriter, numbers: SQLOutputValue | undefined): void {
    if (typeof numbers !== 'string') {
      out.bytes(this.#noRareUsage)
      return
    }
    for (const [index, number] of numbers.split(',').entries()) {
      out.bytes(this.#beforeUsage[COMMON_CLASSES + index] ?? nothing)
      out.text(number)
    }
  }

  #writeCorrects(out: ByteWriter, value: SQLOutputValue | undefined): void {
    const { quote } = this.#format.corrects
    out.bytes(this.#before.corrects)
    if (typeof value === 'string') {
      out.text(quote)
      this.#writeId(out, value, ROW)
      out.text(quote)
    } else out.bytes(this.#noCorrects)
  }

  #writeId(out: ByteWriter, value: SQLOutputValue | undefined, prefix: Uint8Array): void {
    const text = String(value)
    if (text.length === HEX_CHARACTERS && !text.startsWith(TEXT_MARK)) {
      out.bytes(prefix)
      out.uuid(text)
    } else out.text(this.#format.text(text.slice(TEXT_MARK.length).replace(/\0$/, '')))
  }

  #subjectOf(id: number): Uint8Array {
    const known = this.#subjects.get(id)
    if (known !== undefined) return known
    const subject = this.#index.get(id)
    if (subject === undefined) throw new DamagedStoreError('a row of the ledger has no subject')
    return remember(this.#subjects, id, this.#format.subject(subject))
  }

  #tagsOf(id: number): Uint8Array {
    return this.#tags.get(id) ?? remember(this.#tags, id, this.#format.tags(this.#index.tagsOf(id)))
  }

  #flagsOf(flags: number): Uint8Array {
    return this.#flags.get(flags) ?? remember(this.#flags, flags, this.#format.flags(listFlags(flags)))
  }
}

/** Writes the same text as `writeDollars`. */
function writeAmount(out: ByteWriter, amount: number): void {
  if (amount >= 0) writeWhole(out, amount)
  else out.text(writeDollars(brand<NanoDollars>(amount)))
}

function writeWhole(out: ByteWriter, amount: number): void {
  const rest = amount % NANO_DOLLARS_PER_DOLLAR
  out.number((amount - rest) / NANO_DOLLARS_PER_DOLLAR)
  if (rest === 0) return
  out.byte(DOT)
  out.digits(rest, 9)
  out.trimZeros()
}

function remember(texts: Map<number, Uint8Array>, id: number, text: string): Uint8Array {
  if (texts.size >= MAX_SUBJECT_TEXTS) texts.clear()
  const bytes = bytesOfText(text)
  texts.set(id, bytes)
  return bytes
}

function bytesOfText(text: string): Uint8Array {
  return Buffer.from(text, 'utf8')
}

function mapRecord<Name extends string>(
  texts: Readonly<Record<Name, string>>,
): Readonly<Record<Name, Uint8Array>>
function mapRecord(texts: Readonly<Record<string, string>>): Readonly<Record<string, Uint8Array>> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, bytesOfText(text)]))
}

const nothing = bytesOfText('')
const [yes, no] = [bytesOfText('true'), bytesOfText('false')]
const [REQUEST, ROW] = [bytesOfText(idPrefixes.request), bytesOfText(idPrefixes.row)]

const states = namesByCode(stateCodes)
const tiers = namesByCode(tierCodes)

function namesByCode(codes: Readonly<Record<string, number>>): readonly (Uint8Array | undefined)[] {
  const names: (Uint8Array | undefined)[] = []
  for (const [name, code] of Object.entries(codes)) names[code] = bytesOfText(name)
  return names
}

function listFlags(flags: number): readonly string[] {
  return flagNames.flatMap(([flag, name]) => ((flags & flagBits[flag]) === 0 ? [] : [name]))
}
