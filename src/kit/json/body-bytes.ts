import { isUtf8 } from 'node:buffer'
import { ObjectScanner } from './object-scanner.ts'
import type { RawScan } from './raw-scan.ts'
import type { WatchedWords } from './watched-words.ts'

const ZERO = 0x30
/** Numbers with this many digits are small integers of V8. */
const MAX_DIGITS = 9

/** The position of a member's value in a body. */
interface ValueSpan {
  readonly valueStart: number
  readonly valueEnd: number
}

/** The facts about a body that were found on its arrival. */
export interface BodyInspection {
  readonly isUtf8: boolean
  readonly scan: RawScan
}

/** A message body as the chunks that arrived. The chunks are joined only where the whole body is needed. */
export class BodyBytes {
  readonly inspection: BodyInspection
  readonly length: number
  readonly #chunks: Buffer[]
  /** Lists of the body's parts that are lent to calls to upstreams. */
  readonly #lent: Buffer[][] = []

  constructor(chunks: Buffer[], inspection: BodyInspection) {
    this.#chunks = chunks
    this.inspection = inspection
    let length = 0
    for (const chunk of chunks) length += chunk.length
    this.length = length
  }

  /** Makes a body of chunks that are already in memory. */
  static from(chunks: readonly Buffer[]): BodyBytes {
    const scanner = new BodyScanner()
    for (const chunk of chunks) scanner.push(chunk)
    return scanner.end()
  }

  get chunks(): readonly Buffer[] {
    return this.#chunks
  }

  /** Lends a list of parts. `release` empties the list. */
  lend(parts: Buffer[]): readonly Buffer[] {
    this.#lent.push(parts)
    return parts
  }

  /**
   * Frees the bytes, even where a reference to the body or to a list of its parts remains. The bytes must not be read
   * after that.
   */
  release(): void {
    for (const list of [this.#chunks, ...this.#lent]) list.length = 0
  }

  /** The byte at this offset. Undefined beyond the end. */
  at(offset: number): number | undefined {
    let from = 0
    for (const chunk of this.#chunks) {
      if (offset < from + chunk.length) return chunk[offset - from]
      from += chunk.length
    }
    return undefined
  }

  /** The bytes from `start` up to, but without, `end`, as views of the chunks. */
  slice(start: number, end: number): readonly Buffer[] {
    const parts: Buffer[] = []
    let offset = 0
    for (const chunk of this.#chunks) {
      const from = Math.max(0, start - offset)
      const to = Math.min(chunk.length, end - offset)
      if (from < to) parts.push(from === 0 && to === chunk.length ? chunk : chunk.subarray(from, to))
      offset += chunk.length
      if (offset >= end) break
    }
    return parts
  }

  /**
   * Copies the bytes from `start` up to, but without, `end` to the beginning of `target`, which must have room.
   * Returns the number of copied bytes.
   */
  copyTo(target: Buffer, start: number, end: number): number {
    let copied = 0
    let offset = 0
    for (const chunk of this.#chunks) {
      if (offset >= end) break
      const from = Math.max(0, start - offset)
      const to = Math.min(chunk.length, end - offset)
      if (from < to) copied += chunk.copy(target, copied, from, to)
      offset += chunk.length
    }
    return copied
  }

  /** Whether the body contains these bytes, also across the borders of chunks. */
  includes(wanted: Buffer): boolean {
    const [only] = this.#chunks
    if (only !== undefined && this.#chunks.length === 1) return only.includes(wanted)
    let seam: Buffer = Buffer.alloc(0)
    for (const chunk of this.#chunks) {
      if (chunk.includes(wanted)) return true
      const reach = wanted.length - 1
      const joined = Buffer.concat([seam, chunk.subarray(0, reach)])
      if (seam.length > 0 && joined.includes(wanted)) return true
      seam = chunk.length >= reach ? chunk.subarray(chunk.length - reach) : tailOf(joined, reach)
    }
    return false
  }

  /**
   * False only where no member of the JSON, at any depth, has one of these names, or a type with one of these
   * beginnings.
   */
  mayHold({ names, types }: WatchedWords): boolean {
    const { words } = this.inspection.scan
    return (words.names & names) !== 0 || (words.types & types) !== 0
  }

  /** The text of a member's value. */
  textOf({ valueStart, valueEnd }: ValueSpan): string {
    return this.text(valueStart, valueEnd)
  }

  /** The number of a member whose value is a few digits; else undefined. No text is made for it. */
  digitsOf({ valueStart, valueEnd }: ValueSpan): number | undefined {
    const count = valueEnd - valueStart
    if (count < 1 || count > MAX_DIGITS) return undefined
    // JSON has no number with a zero in front of its other digits.
    if (count > 1 && this.at(valueStart) === ZERO) return undefined
    let number = 0
    for (let offset = valueStart; offset < valueEnd; offset += 1) {
      const digit = (this.at(offset) ?? 0) - ZERO
      if (digit < 0 || digit > 9) return undefined
      number = number * 10 + digit
    }
    return number
  }

  /** Decodes the bytes as UTF-8. The range must contain whole characters. */
  text(start = 0, end = this.length): string {
    let offset = 0
    for (const chunk of this.#chunks) {
      // Nearly every range lies within one chunk, and needs no view of its own.
      if (end <= offset + chunk.length) {
        if (start >= offset) return chunk.toString('utf8', start - offset, end - offset)
        break
      }
      offset += chunk.length
    }
    return Buffer.concat(this.slice(start, end)).toString('utf8')
  }

  /**
   * The bytes from `start` up to, but without, `end`, as one character for each byte. This is fast, and enough for a
   * search for ASCII.
   */
  latin1(start = 0, end = this.length): string {
    return this.slice(start, end)
      .map((part) => part.toString('latin1'))
      .join('')
  }
}

function tailOf(bytes: Buffer, length: number): Buffer {
  return bytes.subarray(Math.max(0, bytes.length - length))
}

/** Deeper bodies are refused. No real request nests that deep, and other JSON readers break on such bodies. */
export const MAX_BODY_DEPTH = 64

/** The limit of values. No operation needs more. A parsed value takes many times its bytes. */
export const MAX_BODY_VALUES = 400_000

/** The limit of fields in one object. No request has more. Tables of names are slow to build. */
export const MAX_OBJECT_KEYS = 10_000

const limits = { depth: MAX_BODY_DEPTH, values: MAX_BODY_VALUES, keysOfObject: MAX_OBJECT_KEYS }

/**
 * A chunk costs some hundred bytes besides its content, so a body in chunks of one byte would take a multiple of its
 * size.
 */
const MAX_LOOSE_CHUNKS = 1_024

/**
 * Scans each chunk of a body on arrival, while the chunk is still in the processor's cache. The scan checks UTF-8 and
 * finds the members of the outermost object.
 */
export class BodyScanner {
  length = 0
  readonly #chunks: Buffer[] = []
  /** The number of leading chunks that were joined. */
  #joined = 0
  readonly #scanner = new ObjectScanner(limits)
  readonly #utf8 = new Utf8Checker()

  push(chunk: Buffer): void {
    this.length += chunk.length
    this.#chunks.push(chunk)
    if (this.#chunks.length - this.#joined === MAX_LOOSE_CHUNKS) this.#join()
    this.#utf8.push(chunk)
    this.#scanner.push(chunk)
  }

  end(): BodyBytes {
    return new BodyBytes(this.#chunks, { isUtf8: this.#utf8.end(), scan: this.#scanner.end() })
  }

  #join(): void {
    const joined = Buffer.concat(this.#chunks.splice(this.#joined))
    this.#joined = this.#chunks.push(joined)
  }
}

/** The longest UTF-8 character has four bytes. */
const MAX_CHARACTER_BYTES = 4

/** Checks whether bytes that arrive in chunks are valid UTF-8, including characters that span two chunks. */
class Utf8Checker {
  #isValid = true
  #carried: Buffer | undefined

  push(chunk: Buffer): void {
    if (!this.#isValid) return
    const bytes = this.#carried === undefined ? chunk : Buffer.concat([this.#carried, chunk])
    const wholeEnd = endOfWholeCharacters(bytes)
    this.#isValid = isUtf8(wholeEnd === bytes.length ? bytes : bytes.subarray(0, wholeEnd))
    this.#carried = wholeEnd === bytes.length ? undefined : bytes.subarray(wholeEnd)
  }

  /** Whether all bytes were valid and the last character is complete. */
  end(): boolean {
    return this.#isValid && this.#carried === undefined
  }
}

/** The offset of an incomplete last character, or the length of the bytes where the last character is complete. */
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
