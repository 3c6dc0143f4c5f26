import { InvariantError } from '../../../kit/errors/invariant-error.ts'

/**
 * A batch in the form in which it is sent to the thread of the ledger: numbers in one array and short texts in
 * another. Cloning an object for each row would cost the request thread more. Many rows have the same subject, so the
 * subject is sent once and afterwards referred to by its number.
 */
export interface PackedBatch {
  /** Whether the numbers of subjects, tags and windows start again with this batch. */
  readonly isFirst: boolean
  /** The subjects that are numbered from this batch on. */
  readonly subjects: readonly PackedSubject[]
  /** Sets of tags as JSON; the number 0 means no tags. */
  readonly tags: readonly string[]
  readonly windows: readonly PackedWindow[]
  readonly intents: number
  readonly checkpoints: number
  readonly rows: number
  readonly numbers: Float64Array
  readonly texts: readonly string[]
}

/** The values in the order of `subjectColumns`; an absent value is empty. */
export type PackedSubject = readonly string[]

/** Counter, start, and end (null without an end). */
export type PackedWindow = readonly [string, number, number | null]

/** A growing array of numbers, reused for every batch. */
export class NumberWriter {
  #numbers = new Float64Array(1_024)
  #length = 0

  add(value: number): void {
    if (this.#length === this.#numbers.length) {
      const larger = new Float64Array(this.#length * 2)
      larger.set(this.#numbers)
      this.#numbers = larger
    }
    this.#numbers[this.#length] = wholeNumber(value)
    this.#length += 1
  }

  flush(): Float64Array {
    const written = this.#numbers.slice(0, this.#length)
    this.#length = 0
    return written
  }
}

export class PackedReader {
  readonly #batch: PackedBatch
  #number = 0
  #text = 0

  constructor(batch: PackedBatch) {
    this.#batch = batch
  }

  number(): number {
    const value = this.#batch.numbers[this.#number]
    this.#number += 1
    if (value === undefined) throw new InvariantError('a packed batch of the ledger is cut off')
    return value
  }

  text(): string {
    const value = this.#batch.texts[this.#text]
    this.#text += 1
    if (value === undefined) throw new InvariantError('a packed batch of the ledger is cut off')
    return value
  }
}

/** The nearest number that the table accepts. A refused number would fail its batch and every later one. */
export function wholeNumber(value: number): number {
  if (Number.isSafeInteger(value)) return value
  if (Number.isNaN(value)) return 0
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Math.round(value)))
}
