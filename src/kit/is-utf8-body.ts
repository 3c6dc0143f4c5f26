import { isUtf8 } from 'node:buffer'
import type { BodyBytes } from './body-bytes.ts'

/** The longest character has four bytes. */
const MAX_CHARACTER_BYTES = 4

/** Whether a body is valid UTF-8, characters that lie over two chunks included. */
export function isUtf8Body({ chunks }: BodyBytes): boolean {
  let carried: Buffer | undefined
  for (const chunk of chunks) {
    const bytes: Buffer = carried === undefined ? chunk : Buffer.concat([carried, chunk])
    const wholeEnd = endOfWholeCharacters(bytes)
    if (!isUtf8(wholeEnd === bytes.length ? bytes : bytes.subarray(0, wholeEnd))) return false
    carried = wholeEnd === bytes.length ? undefined : bytes.subarray(wholeEnd)
  }
  return carried === undefined
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
