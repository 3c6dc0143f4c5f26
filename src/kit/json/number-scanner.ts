import { pieceBytes } from '../bytes/text-end.ts'

/** No double needs more; a reader that keeps all digits of a long one can be kept busy with it. */
export const MAX_NUMBER_CHARACTERS = 64

/** From here on a double may not hold every whole number. */
const WIDE_DIGITS = 16
/** From here on a double may not hold every power of ten. */
const WIDE_EXPONENT_DIGITS = 3

const MINUS = 0x2d
const PLUS = 0x2b
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const LOWER_E = 0x65
const UPPER_E = 0x45

/**
 * Which part of a number was read last, as whole numbers, since this is looked at for each token. What may have any
 * number of digits comes last.
 */
const parts = { minus: 0, zero: 1, point: 2, e: 3, sign: 4, integer: 5, fraction: 6, exponent: 7 } as const
type Part = (typeof parts)[keyof typeof parts]

/** Follows one number after the other through the pieces of a text. */
export class NumberScanner {
  /** Whether a number had so many digits in a row, or such a power of ten, that a double may not hold it. */
  hasSeenWide = false
  #part: Part = parts.minus
  #length = 0
  /** Digits of the part at hand. */
  #digits = 0

  get isTooLong(): boolean {
    return this.#length > MAX_NUMBER_CHARACTERS
  }

  /** Whether what was read is a whole number. */
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

  /** Takes a number's first byte, a digit or a minus. */
  begin(byte: number): void {
    this.#length = 1
    this.#digits = 1
    if (byte === MINUS) this.#part = parts.minus
    else this.#part = byte === ZERO ? parts.zero : parts.integer
  }

  /** Gives the offset of the first byte that is no part of the number, or `end`. */
  read(start: number, end: number): number {
    let at = this.#skipDigits(start, end)
    while (at < end && this.#takes(pieceBytes[at] ?? 0)) at = this.#skipDigits(at + 1, end)
    this.#length += at - start
    return at
  }

  #skipDigits(start: number, end: number): number {
    if (this.#part < parts.integer) return start
    let at = start
    while (at < end && isDigit(pieceBytes[at] ?? 0)) at += 1
    this.#digits += at - start
    if (this.#digits >= WIDE_EXPONENT_DIGITS) this.#noticeWide()
    return at
  }

  #noticeWide(): void {
    if (this.#part === parts.exponent || this.#digits >= WIDE_DIGITS) this.hasSeenWide = true
  }

  #takes(byte: number): boolean {
    if (isDigit(byte)) return this.#takesDigit(byte)
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

  #takesDigit(byte: number): boolean {
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
