import { findStringEnd, scannedBytes } from '../bytes/find-string-end.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const LETTER_U = 0x75
const HEX_DIGITS = 4

const isPlain = tableOf((byte) => byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH)
/** The characters that may follow a backslash, except `u`. */
const isShortEscape = tableOf((byte) => '"\\/bfnrt'.includes(String.fromCharCode(byte)))
const isHex = tableOf((byte) => /[0-9a-fA-F]/.test(String.fromCharCode(byte)))

/**
 * The bytes of a string that are read one by one before the search by sixteen bytes begins. Names and short values
 * end before that.
 */
const WALKED_BYTES = 12

/** Reads one string after the other, each from just after its opening quote, across the pieces of a text. */
export class StringScanner {
  #state: 'open' | 'closed' | 'invalid' = 'closed'
  /** Whether the previous piece ended within an escape. */
  #isInEscape = false
  /** The hex digits that the escape still needs. 0 where the byte after the backslash is not known yet. */
  #hexLeft = 0

  get isClosed(): boolean {
    return this.#state === 'closed'
  }

  /** Whether the string contains a control character, or an escape that JSON does not have. */
  get isInvalid(): boolean {
    return this.#state === 'invalid'
  }

  begin(): void {
    this.#state = 'open'
  }

  /** Returns the offset after the closing quote, the offset of an invalid byte, or `end`. */
  read(start: number, end: number): number {
    let at = start
    while (at < end && this.#state === 'open') {
      at = this.#isInEscape ? this.#readEscape(at) : this.#readMark(findSpecialByte(at, end), end)
    }
    return at
  }

  /** Reads the first byte that is not plain. */
  #readMark(at: number, end: number): number {
    if (at === end) return end
    switch (scannedBytes[at]) {
      case QUOTE:
        this.#state = 'closed'
        return at + 1
      case BACKSLASH:
        this.#isInEscape = true
        return at + 1
      default:
        this.#state = 'invalid'
        return at
    }
  }

  #readEscape(at: number): number {
    const byte = scannedBytes[at] ?? 0
    if (this.#hexLeft > 0) {
      if (isHex[byte] === 0) return this.#refuse(at)
      this.#hexLeft -= 1
    } else if (byte === LETTER_U) {
      this.#hexLeft = HEX_DIGITS
    } else if (isShortEscape[byte] === 0) {
      return this.#refuse(at)
    }
    this.#isInEscape = this.#hexLeft > 0
    return at + 1
  }

  #refuse(at: number): number {
    this.#state = 'invalid'
    return at
  }
}

/**
 * Finds the first byte of a string, from `start`, that is not plain. Returns `end` where all bytes are plain. May
 * skip whole escapes on the way.
 */
export function findSpecialByte(start: number, end: number): number {
  const walkTo = Math.min(end, start + WALKED_BYTES)
  let at = start
  while (at < walkTo && isPlain[scannedBytes[at] ?? 0] === 1) at += 1
  if (at === end || scannedBytes[at] === QUOTE) return at
  return findStringEnd(at, end)
}

function tableOf(test: (byte: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => (test(byte) ? 1 : 0))
}

/**
 * The limit of characters in a number. No double needs more. A long number would keep a reader busy that preserves
 * all digits.
 */
export const MAX_NUMBER_CHARACTERS = 64

/** The number of digits from which a double may not hold every whole number. */
export const WIDE_DIGITS = 16
/** The number of exponent digits from which a double may not hold every power of ten. */
export const WIDE_EXPONENT_DIGITS = 3

const MINUS = 0x2d
const PLUS = 0x2b
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const LOWER_E = 0x65
const UPPER_E = 0x45

/**
 * The last part of a number that was read. The values are whole numbers, since they are read for each token. Parts
 * with any number of digits come last.
 */
const parts = { minus: 0, zero: 1, point: 2, e: 3, sign: 4, integer: 5, fraction: 6, exponent: 7 } as const
type Part = (typeof parts)[keyof typeof parts]

/** Reads one number after the other across the pieces of a text. */
export class NumberScanner {
  /** Whether a number had so many digits in a row, or such an exponent, that a double may not hold it. */
  hasSeenWide = false
  #part: Part = parts.minus
  #length = 0
  /** The digits of the current part. */
  #digits = 0

  get isTooLong(): boolean {
    return this.#length > MAX_NUMBER_CHARACTERS
  }

  /** Whether the bytes read so far are a complete number. */
  get isWhole(): boolean {
    switch (this.#part) {
      case parts.zero:
      case parts.integer:
      case parts.fraction:
      case parts.exponent:
        return true
      default:
        return false
    }
  }

  /** Reads a number's first byte, a digit or a minus. */
  begin(byte: number): void {
    this.#length = 1
    this.#digits = 1
    if (byte === MINUS) this.#part = parts.minus
    else this.#part = byte === ZERO ? parts.zero : parts.integer
  }

  /** Returns the offset of the first byte that is not part of the number, or `end`. */
  read(start: number, end: number): number {
    let at = this.#skipDigits(start, end)
    while (at < end && this.#accepts(scannedBytes[at] ?? 0)) at = this.#skipDigits(at + 1, end)
    this.#length += at - start
    return at
  }

  #skipDigits(start: number, end: number): number {
    if (this.#part < parts.integer) return start
    let at = start
    while (at < end && isDigit(scannedBytes[at] ?? 0)) at += 1
    this.#digits += at - start
    if (this.#digits >= WIDE_EXPONENT_DIGITS) this.#noticeWide()
    return at
  }

  #noticeWide(): void {
    if (this.#part === parts.exponent || this.#digits >= WIDE_DIGITS) this.hasSeenWide = true
  }

  #accepts(byte: number): boolean {
    if (isDigit(byte)) return this.#acceptsDigit(byte)
    switch (byte) {
      case POINT:
        return this.#goOn(this.#part === parts.zero || this.#part === parts.integer, parts.point)
      case LOWER_E:
      case UPPER_E:
        return this.#goOn(this.isWhole && this.#part !== parts.exponent, parts.e)
      case PLUS:
      case MINUS:
        return this.#goOn(this.#part === parts.e, parts.sign)
      default:
        return false
    }
  }

  #goOn(isAllowed: boolean, part: Part): boolean {
    if (isAllowed) this.#part = part
    return isAllowed
  }

  #acceptsDigit(byte: number): boolean {
    switch (this.#part) {
      case parts.minus:
        return this.#startDigits(byte === ZERO ? parts.zero : parts.integer)
      case parts.point:
        return this.#startDigits(parts.fraction)
      case parts.e:
      case parts.sign:
        return this.#startDigits(parts.exponent)
      default:
        return false
    }
  }

  #startDigits(part: Part): boolean {
    this.#part = part
    this.#digits = 1
    return true
  }
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE
}
