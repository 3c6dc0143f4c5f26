import { isUtf8 } from 'node:buffer'

/** The longest character has four bytes. */
const MAX_CHARACTER_BYTES = 4

/** Tells whether bytes that come in chunks are valid UTF-8, characters that lie over two chunks included. */
export class Utf8Checker {
  #isValid = true
  #carried: Buffer | undefined

  push(chunk: Buffer): void {
    if (!this.#isValid) return
    const bytes = this.#carried === undefined ? chunk : Buffer.concat([this.#carried, chunk])
    const wholeEnd = endOfWholeCharacters(bytes)
    this.#isValid = isUtf8(wholeEnd === bytes.length ? bytes : bytes.subarray(0, wholeEnd))
    this.#carried = wholeEnd === bytes.length ? undefined : bytes.subarray(wholeEnd)
  }

  /** Whether all of it was valid, the last character whole. */
  end(): boolean {
    return this.#isValid && this.#carried === undefined
  }
}

/** Where a character begins that the bytes do not hold whole; the end of the bytes where there is none. */
function endOfWholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(MAX_CHARACTER_BYTES, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return bytes.length
    if (byte >= 0xc0) return back < lengthOfCharacter(byte) ? bytes.length - back : bytes.length
  }
  return bytes.length
}

function lengthOfCharacter(firstByte: number): number {
  if (firstByte >= 0xf0) return 4
  return firstByte >= 0xe0 ? 3 : 2
}
