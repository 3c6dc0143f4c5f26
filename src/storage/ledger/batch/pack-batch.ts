import type { Usage } from '../../../canonical/usage.ts'
import type { CountedAmount, LedgerIntent, LedgerRow, LedgerSubject } from '../../../metering/ledger-row.ts'
import type { LedgerBatch } from '../../../metering/ledger-store.ts'
import { flagBits, stateCodes, tierCodes, usageClasses } from '../ledger-tables.ts'
import {
  NumberWriter,
  type PackedBatch,
  type PackedSubject,
  type PackedWindow,
  wholeNumber,
} from './packed-batch.ts'

/** The maximum number of subjects and windows that are numbered. Beyond that the numbers start again. */
const MAX_NUMBERED = 100_000

/** Packs batches for one thread, in the order in which they are sent. */
export function createBatchPacker(maxNumbered = MAX_NUMBERED): (batch: LedgerBatch) => PackedBatch {
  return new BatchPacker(maxNumbered).pack
}

interface NumberedSubject {
  readonly names: PackedSubject
  readonly number: number
}

interface NumberedWindow {
  readonly startMs: number
  readonly number: number
}

class BatchPacker {
  readonly #maxNumbered: number
  readonly #numbers = new NumberWriter()
  #texts: string[] = []
  #isFirst = true
  /**
   * The subjects by the ID of their key, then by the model. Each request looks one subject up, and nested maps avoid
   * joining a text for the lookup.
   */
  readonly #subjects = new Map<string, Map<string, NumberedSubject[]>>()
  #subjectCount = 0
  #newSubjects: PackedSubject[] = []
  readonly #tags = new Map<string, number>()
  #newTags: string[] = []
  /** The window that each counter was last used with. */
  readonly #windows = new Map<string, NumberedWindow>()
  #windowCount = 0
  #newWindows: PackedWindow[] = []

  constructor(maxNumbered: number) {
    this.#maxNumbered = maxNumbered
  }

  readonly pack = (batch: LedgerBatch): PackedBatch => {
    const numbered = Math.max(this.#subjectCount, this.#tags.size, this.#windowCount)
    if (numbered > this.#maxNumbered) this.#restart()
    for (const intent of batch.intents) this.#packIntent(intent)
    for (const { id, outputTokens } of batch.checkpoints) {
      this.#texts.push(id)
      this.#numbers.add(outputTokens)
    }
    for (const row of batch.rows) this.#packRow(row)
    const packed = {
      isFirst: this.#isFirst,
      subjects: this.#newSubjects,
      tags: this.#newTags,
      windows: this.#newWindows,
      intents: batch.intents.length,
      checkpoints: batch.checkpoints.length,
      rows: batch.rows.length,
      numbers: this.#numbers.flush(),
      texts: this.#texts,
    }
    this.#isFirst = false
    this.#newSubjects = []
    this.#newTags = []
    this.#newWindows = []
    this.#texts = []
    return packed
  }

  #restart(): void {
    this.#isFirst = true
    this.#subjects.clear()
    this.#subjectCount = 0
    this.#tags.clear()
    this.#windows.clear()
    this.#windowCount = 0
  }

  #packIntent(intent: LedgerIntent): void {
    this.#packSubject(intent)
    this.#numbers.add(intent.expiresAtMs)
    this.#numbers.add(intent.inputTokens)
    this.#numbers.add(intent.multiplierPpm)
    this.#packUnseen(intent)
    this.#packAmounts(intent.held)
    for (const { counts } of intent.held) this.#numbers.add(counts === 'cost' ? 1 : 0)
  }

  #packUnseen({ unseen }: LedgerIntent): void {
    this.#numbers.add(unseen === undefined ? 0 : 1)
    if (unseen === undefined) return
    this.#numbers.add(unseen.cost)
    this.#numbers.add(unseen.charged)
    this.#numbers.add(unseen.isAhead ? 1 : 0)
  }

  #packRow(row: LedgerRow): void {
    this.#packSubject(row)
    this.#numbers.add(row.endedAtMs)
    this.#numbers.add(stateCodes[row.state])
    this.#numbers.add(packFlags(row))
    this.#numbers.add(tierCodes[row.tier])
    this.#packUsage(row.usage)
    this.#numbers.add(row.cost)
    this.#numbers.add(row.charged)
    this.#texts.push(packToolCalls(row.usage.toolCalls), row.flags.corrects ?? '')
    this.#packAmounts(row.counted)
  }

  #packSubject(subject: LedgerSubject): void {
    this.#texts.push(subject.id, subject.requestId)
    this.#numbers.add(this.#numberOfSubject(subject))
    this.#numbers.add(this.#numberOfTags(subject.tags))
    this.#numbers.add(subject.attempt)
    this.#numbers.add(subject.startedAtMs)
  }

  #packUsage(usage: Usage): void {
    for (const name of usageClasses) this.#numbers.add(usage[name])
  }

  #packAmounts(amounts: readonly CountedAmount[]): void {
    this.#numbers.add(amounts.length)
    for (const amount of amounts) {
      this.#numbers.add(this.#numberOfWindow(amount))
      this.#numbers.add(amount.amount)
    }
  }

  #numberOfSubject(subject: LedgerSubject): number {
    const { keyId, keyName, userName = '', group = '', model, channel, upstreamModel } = subject
    const ofKey = this.#subjects.get(keyId) ?? new Map<string, NumberedSubject[]>()
    const ofModel = ofKey.get(model) ?? []
    for (const { names, number } of ofModel) if (hasNames(subject, names)) return number
    const names = [keyId, keyName, userName, group, model, channel, upstreamModel, subject.priceVersion ?? '']
    const number = this.#subjectCount
    this.#subjectCount += 1
    ofModel.push({ names, number })
    this.#subjects.set(keyId, ofKey.set(model, ofModel))
    this.#newSubjects.push(names)
    return number
  }

  #numberOfTags(tags: LedgerSubject['tags']): number {
    const text = packTags(tags)
    if (text === '') return 0
    const known = this.#tags.get(text)
    if (known !== undefined) return known
    const number = this.#tags.size + 1
    this.#tags.set(text, number)
    this.#newTags.push(text)
    return number
  }

  #numberOfWindow({ counter, windowStartMs, windowEndMs }: CountedAmount): number {
    const last = this.#windows.get(counter)
    if (last !== undefined && last.startMs === windowStartMs) return last.number
    const number = this.#windowCount
    this.#windowCount += 1
    this.#windows.set(counter, { startMs: windowStartMs, number })
    this.#newWindows.push([counter, windowStartMs, windowEndMs ?? null])
    return number
  }
}

/** Whether a subject of the same key and model also has the same other names. */
function hasNames(subject: LedgerSubject, names: PackedSubject): boolean {
  const [, keyName, userName, group, , channel, upstreamModel, priceVersion] = names
  return (
    keyName === subject.keyName &&
    userName === (subject.userName ?? '') &&
    group === (subject.group ?? '') &&
    channel === subject.channel &&
    upstreamModel === subject.upstreamModel &&
    priceVersion === (subject.priceVersion ?? '')
  )
}

function packFlags({ flags, usage }: LedgerRow): number {
  return (
    (flags.clamped === true ? flagBits.clamped : 0) |
    (flags.usageMissing === true ? flagBits.usageMissing : 0) |
    (flags.recovered === true ? flagBits.recovered : 0) |
    (flags.unpriced === true ? flagBits.unpriced : 0) |
    (flags.orphaned === true ? flagBits.orphaned : 0) |
    (flags.failed === true ? flagBits.failed : 0) |
    (usage.isEstimated ? flagBits.usageEstimated : 0)
  )
}

/** Sorts tags by name, so that equal tags have equal text. Empty without tags. */
function packTags(tags: Readonly<Record<string, string>>): string {
  const names = Object.keys(tags)
  if (names.length === 0) return ''
  if (names.length > 1) names.sort()
  return JSON.stringify(names.map((name) => [name, tags[name]]))
}

function packToolCalls(calls: Readonly<Record<string, number>>): string {
  for (const _ in calls)
    return JSON.stringify(calls, (_name, part: unknown) =>
      typeof part === 'number' ? wholeNumber(part) : part,
    )
  return ''
}
