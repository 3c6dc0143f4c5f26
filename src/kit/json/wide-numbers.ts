import { WIDE_DIGITS, WIDE_EXPONENT_DIGITS } from './string-scanner.ts'

/** The offsets of a number in a text. */
export interface NumberSpan {
  readonly start: number
  readonly end: number
}

const QUOTE = 0x22
const PLUS = 0x2b
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const BACKSLASH = 0x5c
/** The bit that makes an ASCII letter lower case. */
const LOWER_CASE = 0x20
const LOWER_E = 0x65

/** The numbers outside strings that a double may not hold, in order. Each character is read once. */
export function findWideNumbers(text: string): readonly NumberSpan[] {
  const found: NumberSpan[] = []
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code <= NINE && code >= ZERO) {
      const start = at
      at = skipDigits(text, start)
      let isWide = at - start >= WIDE_DIGITS
      if (text.charCodeAt(at) === POINT) at = skipDigits(text, at + 1)
      if ((text.charCodeAt(at) | LOWER_CASE) === LOWER_E) {
        const sign = text.charCodeAt(at + 1)
        const power = sign === PLUS || sign === MINUS ? at + 2 : at + 1
        at = skipDigits(text, power)
        isWide ||= at - power >= WIDE_EXPONENT_DIGITS
      }
      if (isWide) found.push({ start: text.charCodeAt(start - 1) === MINUS ? start - 1 : start, end: at })
      // The character after the number may begin a string.
      at -= 1
    }
  }
  return found
}

/** The end of the string that begins at `from`, or the text's end where the string is not closed. */
export function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = at
    while (text.charCodeAt(escapes - 1) === BACKSLASH) escapes -= 1
    if ((at - escapes) % 2 === 0) return at
  }
  return text.length
}

function skipDigits(text: string, from: number): number {
  let at = from
  for (let code = text.charCodeAt(at); code >= ZERO && code <= NINE; code = text.charCodeAt(at)) at += 1
  return at
}
