/** No double needs more; a reader that keeps all digits of a long one can be kept busy with it. */
export const MAX_NUMBER_CHARACTERS = 64

/** What stands between two marks and is no longer holds no wide number: `1e99` or a colon before 123. */
export const NARROW_NUMBER_CHARACTERS = 4

/** From here on a double may not hold every whole number. */
const WIDE_DIGITS = 16

/**
 * Whether these bytes, none of them within a string, hold a number of so many digits in a row or with a power of ten
 * of three digits, so that a double may not hold it. Says so of some that a double holds.
 */
export function isWideNumber(bytes: Buffer, from: number, to: number): boolean {
  let digits = 0
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at] ?? 0
    digits = byte >= 0x30 && byte <= 0x39 ? digits + 1 : 0
    if (digits >= WIDE_DIGITS) return true
    if ((byte === 0x45 || byte === 0x65) && isDigit(bytes[at - 1])) return true
  }
  return false
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39
}

/** Whether a number or word in these bytes is too long. `from` is below 0 by what of it lay in the chunk before. */
export function hasLongRun(bytes: Buffer, from: number, to: number): boolean {
  let run = Math.max(0, -from)
  for (let at = Math.max(0, from); at < to; at += 1) {
    run = isScalarByte(bytes[at] ?? 0) ? run + 1 : 0
    if (run > MAX_NUMBER_CHARACTERS) return true
  }
  return false
}

/** How many characters of a number or word the bytes end in; `from` as above. */
export function endingRun(bytes: Buffer, from: number): number {
  const least = Math.max(0, from)
  let at = bytes.length
  while (at > least && isScalarByte(bytes[at - 1] ?? 0)) at -= 1
  return at === 0 ? bytes.length - from : bytes.length - at
}

/** Whether a byte can be part of a number or of a word such as `true`. */
export function isScalarByte(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    byte === 0x2d ||
    byte === 0x2b ||
    byte === 0x2e ||
    byte === 0x45
  )
}

/** Whether a value of JSON can begin with this byte. */
export function looksLikeValue(byte: number): boolean {
  return '["-0123456789tfn'.includes(String.fromCharCode(byte))
}
