import { InvariantError } from '../../../kit/errors/invariant-error.ts'

/**
 * A batch as it goes to the thread of the ledger: numbers in one array and short texts in another, since cloning an
 * object for each row costs the thread of the requests more. The subject is the same for many rows: it is sent once,
 * and after that by its number.
 */
export interface PackedBatch {
  /** The numbers of subjects, tags and windows begin anew with this batch. */
  readonly isFirst: boolean
  /** The subjects that have a number from this batch on. */
  readonly subjects: readonly PackedSubject[]
  /** Sets of tags as JSON; the number 0 is for none. */
  readonly tags: readonly string[]
  readonly windows: readonly PackedWindow[]
  readonly intents: number
  readonly checkpoints: number
  readonly rows: number
  readonly numbers: Float64Array
  readonly texts: readonly string[]
}

/** The values in the order of `subjectColumns`; empty where there is none. */
export type PackedSubject = readonly string[]

/** Counter, start, and end or null. */
export type PackedWindow = readonly [string, number, number | null]

/** The array of numbers, of which batch after batch makes use. */
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

/** One number that the table refuses would refuse the batch, and with it every one that follows. */
function wholeNumber(value: number): number {
  if (Number.isSafeInteger(value)) return value
  if (Number.isNaN(value)) return 0
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Math.round(value)))
}
