import type { ListSpan } from './find-only-list.ts'

const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const OPEN = 0x7b
const CLOSE = 0x7d

const indexName = Buffer.from('"index"')
const scoreName = Buffer.from('"relevance_score"')

/** The maximum number of digits: a number of this length is read precisely enough to compare scores. */
const MAX_DIGITS = 17

/**
 * Scans the bytes of a list of results: objects with an index and a score, ordered by score. Supports only a subset of
 * JSON, without exponents in numbers.
 */
export class ResultScanner {
  readonly #bytes: Buffer
  readonly #seen: Uint8Array
  #at = 0

  constructor(bytes: Buffer, documents: number) {
    this.#bytes = bytes
    this.#seen = new Uint8Array(documents)
  }

  /** The number of results. Undefined if a result has an unexpected form or is not in order. */
  countInOrder({ start, end }: ListSpan): number | undefined {
    this.#at = start + 1
    const close = end - 1
    let count = 0
    let last = Number.POSITIVE_INFINITY
    for (;;) {
      this.#skipBlank()
      if (count === 0 && this.#at === close) return 0
      const score = this.#readResult()
      if (!(score <= last)) return undefined
      last = score
      count += 1
      this.#skipBlank()
      if (this.#at === close) return count
      if (!this.#pass(COMMA)) return undefined
    }
  }

  /** Reads a result with an index that no other result has. Returns its score, or NaN if there is no such result. */
  #readResult(): number {
    if (!this.#pass(OPEN)) return Number.NaN
    const isIndexFirst = this.#passName(indexName)
    if (!isIndexFirst && !this.#passName(scoreName)) return Number.NaN
    const first = this.#readNumber()
    this.#skipBlank()
    if (!this.#pass(COMMA) || !this.#passName(isIndexFirst ? scoreName : indexName)) return Number.NaN
    const second = this.#readNumber()
    this.#skipBlank()
    if (!this.#pass(CLOSE)) return Number.NaN
    const index = isIndexFirst ? first : second
    if (this.#seen[index] !== 0) return Number.NaN
    this.#seen[index] = 1
    return isIndexFirst ? second : first
  }

  /** Skips a name and the colon after it. Returns false if the name is not there. */
  #passName(name: Buffer): boolean {
    this.#skipBlank()
    const bytes = this.#bytes
    if (bytes[this.#at] !== QUOTE) return false
    for (let offset = 1; offset < name.length; offset += 1)
      if (bytes[this.#at + offset] !== name[offset]) return false
    this.#at += name.length
    this.#skipBlank()
    return this.#pass(COLON)
  }

  #readNumber(): number {
    this.#skipBlank()
    const isNegative = this.#pass(MINUS)
    const start = this.#at
    const whole = this.#readDigits(0)
    const wholeDigits = this.#at - start
    // JSON has no number that starts with a zero followed by a digit.
    if (wholeDigits === 0 || (wholeDigits > 1 && this.#bytes[start] === ZERO)) return Number.NaN
    let value = whole
    let digits = wholeDigits
    if (this.#pass(POINT)) {
      const pointAt = this.#at
      value = this.#readDigits(whole)
      const places = this.#at - pointAt
      if (places === 0) return Number.NaN
      digits += places
      value /= 10 ** places
    }
    if (digits > MAX_DIGITS) return Number.NaN
    return isNegative ? -value : value
  }

  #readDigits(before: number): number {
    let value = before
    for (;;) {
      const digit = this.#bytes[this.#at] ?? 0
      if (digit < ZERO || digit > NINE) return value
      value = value * 10 + digit - ZERO
      this.#at += 1
    }
  }

  #pass(byte: number): boolean {
    if (this.#bytes[this.#at] !== byte) return false
    this.#at += 1
    return true
  }

  #skipBlank(): void {
    for (;;) {
      const byte = this.#bytes[this.#at]
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return
      this.#at += 1
    }
  }
}
