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

/** A number of up to so many digits is read near enough to compare scores. */
const MAX_DIGITS = 17

/**
 * Looks at a list of results as their bytes: objects of an index and a score, in the order of their scores. It takes
 * a part of JSON alone; numbers with an exponent are not in it.
 */
export class ResultScanner {
  readonly #bytes: Buffer
  readonly #seen: Uint8Array
  #at = 0

  constructor(bytes: Buffer, documents: number) {
    this.#bytes = bytes
    this.#seen = new Uint8Array(documents)
  }

  /** The number of results; undefined where one is not as it should be, or not in its order. */
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

  /** The score of a result whose index no other has; NaN where there is none here. */
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

  /** A name and the colon behind it. */
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
    // JSON has no number that begins with a zero and goes on with a digit.
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
