import { endsEscaped } from './ends-escaped.ts'
import type { RawFault, RawScan, RawSpan, ScanLimits } from './raw-scan.ts'
import {
  endingRun,
  hasLongRun,
  isScalarByte,
  isWideNumber,
  looksLikeValue,
  MAX_NUMBER_CHARACTERS,
  NARROW_NUMBER_CHARACTERS,
} from './scalar-run.ts'
import { unreachable } from './unreachable.ts'

/** What the next byte that is no white space can be. */
type Place =
  | 'text-start'
  | 'first-name'
  | 'name'
  | 'in-name'
  | 'colon'
  | 'value'
  | 'in-string'
  | 'in-scalar'
  | 'nested'
  | 'in-nested-string'
  | 'after-value'
  | 'text-end'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d

/**
 * How far a string is walked before it is searched natively. A native search costs as much as walking some 30 bytes,
 * so it must not be called for each quote of text that is full of them.
 */
const WALKED_BYTES = 24

/** Follows a JSON text chunk by chunk and notes where the members of its outermost object lie. Never throws. */
export class ObjectScanner {
  readonly #limits: ScanLimits
  readonly #spans: RawSpan[] = []
  /** The brackets that close what is open below the outermost object. */
  readonly #closers: number[] = []
  /** Commas in each of them but the innermost. */
  readonly #outerCommas: number[] = []
  /** Commas in the innermost. */
  #commas = 0
  #values = 0
  /** Characters of a number or word at the end of the chunk before. */
  #run = 0
  #place: Place = 'text-start'
  /** Offset of the chunk at hand in the whole text. */
  #base = 0
  #insertAt = 0
  #nameStart = 0
  #nameEnd = 0
  #valueStart = 0
  /** The chunk before ended in a backslash that escapes the first byte of this one. */
  #isEscaped = false
  #fault: RawScan['fault']
  #mayHoldWideNumber = false

  constructor(limits: ScanLimits) {
    this.#limits = limits
  }

  push(chunk: Buffer): void {
    let at = 0
    while (at < chunk.length && this.#fault === undefined) at = this.#step(chunk, at)
    this.#base += chunk.length
  }

  end(): RawScan {
    if (this.#fault === undefined && this.#place !== 'text-end') this.#fail('invalid-json', 0)
    return {
      spans: this.#spans,
      insertAt: this.#insertAt,
      fault: this.#fault,
      values: this.#values,
      mayHoldWideNumber: this.#mayHoldWideNumber,
    }
  }

  /** Goes on from this byte; gives the offset of the next one to look at. */
  #step(chunk: Buffer, at: number): number {
    switch (this.#place) {
      case 'in-name':
      case 'in-string':
      case 'in-nested-string':
        return this.#skipString(chunk, at)
      case 'nested':
        return this.#skipNested(chunk, at)
      case 'in-scalar':
        return this.#skipScalar(chunk, at)
      default:
        return isSpace(chunk[at]) ? at + 1 : this.#takeMark(this.#place, chunk[at] ?? 0, at)
    }
  }

  #takeMark(
    place: Exclude<Place, 'in-name' | 'in-string' | 'in-nested-string' | 'nested' | 'in-scalar'>,
    byte: number,
    at: number,
  ): number {
    switch (place) {
      case 'text-start':
        if (byte !== OPEN_BRACE) return this.#fail(looksLikeValue(byte) ? 'not-object' : 'invalid-json', at)
        this.#insertAt = this.#base + at + 1
        this.#place = 'first-name'
        return at + 1
      case 'first-name':
        if (byte === CLOSE_BRACE) return this.#goOn('text-end', at)
        return this.#startName(byte, at)
      case 'name':
        return this.#startName(byte, at)
      case 'colon':
        return byte === COLON ? this.#goOn('value', at) : this.#fail('invalid-json', at)
      case 'value':
        return this.#startValue(byte, at)
      case 'after-value':
        if (byte === COMMA) return this.#goOn('name', at)
        return byte === CLOSE_BRACE ? this.#goOn('text-end', at) : this.#fail('invalid-json', at)
      case 'text-end':
        return this.#fail('invalid-json', at)
      default:
        return unreachable(place)
    }
  }

  #goOn(place: Place, at: number): number {
    this.#place = place
    return at + 1
  }

  #startName(byte: number, at: number): number {
    if (byte !== QUOTE) return this.#fail('invalid-json', at)
    this.#nameStart = this.#base + at
    return this.#goOn('in-name', at)
  }

  #startValue(byte: number, at: number): number {
    this.#valueStart = this.#base + at
    if (byte === QUOTE) return this.#goOn('in-string', at)
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      this.#place = 'nested'
      return at
    }
    if (!isScalarByte(byte)) return this.#fail('invalid-json', at)
    this.#place = 'in-scalar'
    return at
  }

  #endValue(at: number): number {
    this.#spans.push({
      nameStart: this.#nameStart,
      nameEnd: this.#nameEnd,
      valueStart: this.#valueStart,
      valueEnd: this.#base + at,
    })
    if (this.#spans.length > this.#limits.keysOfObject) return this.#fail('too-many-keys', at)
    this.#place = 'after-value'
    return at
  }

  #skipScalar(chunk: Buffer, start: number): number {
    let at = start
    while (at < chunk.length && isScalarByte(chunk[at] ?? 0)) at += 1
    if (this.#base + at - this.#valueStart > MAX_NUMBER_CHARACTERS) return this.#fail('long-number', at)
    // What lies in the chunk before is not looked at again.
    if (this.#base + start > this.#valueStart || isWideNumber(chunk, start, at))
      this.#mayHoldWideNumber = true
    return at < chunk.length ? this.#endValue(at) : at
  }

  #skipString(chunk: Buffer, start: number): number {
    const end = this.#endOfString(chunk, start)
    if (end === -1) return chunk.length
    if (this.#place === 'in-nested-string') {
      this.#place = 'nested'
      return end
    }
    if (this.#place === 'in-string') return this.#endValue(end)
    this.#nameEnd = this.#base + end
    this.#place = 'colon'
    return end
  }

  /** Offset just after the closing quote, or -1 where it is not in this chunk. */
  #endOfString(chunk: Buffer, start: number): number {
    let at = this.#isEscaped ? start + 1 : start
    this.#isEscaped = false
    for (;;) {
      const walkTo = Math.min(chunk.length, at + WALKED_BYTES)
      while (at < walkTo) {
        const byte = chunk[at]
        if (byte === QUOTE) return at + 1
        at += byte === BACKSLASH ? 2 : 1
      }
      const quote = at < chunk.length ? chunk.indexOf(QUOTE, at) : -1
      if (quote === -1) {
        this.#isEscaped = at > chunk.length || endsEscaped(chunk, chunk.length, at)
        return -1
      }
      if (!endsEscaped(chunk, quote, at)) return quote + 1
      at = quote + 1
    }
  }

  /** The hot loop: what is rare is left to other methods. */
  #skipNested(chunk: Buffer, start: number): number {
    // Between two marks lie white space, a colon, a number or a word.
    let gapStart = start - this.#run
    this.#run = 0
    for (let at = start; at < chunk.length; at += 1) {
      const byte = chunk[at]
      if (byte === QUOTE) {
        if (at - gapStart > NARROW_NUMBER_CHARACTERS && this.#isLongGap(chunk, gapStart, at))
          return this.#failNumber(at)
        const end = this.#endOfString(chunk, at + 1)
        if (end === -1) return this.#enterString(chunk)
        at = end - 1
        gapStart = end
      } else if (byte === COMMA) {
        if (at - gapStart > NARROW_NUMBER_CHARACTERS && this.#isLongGap(chunk, gapStart, at))
          return this.#failNumber(at)
        gapStart = at + 1
        this.#commas += 1
        if (this.#commas >= this.#limits.keysOfObject && this.#hasTooMany(at)) return at
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        if (this.#open(byte, at)) return at
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        if (at - gapStart > NARROW_NUMBER_CHARACTERS && this.#isLongGap(chunk, gapStart, at))
          return this.#failNumber(at)
        gapStart = at + 1
        if (this.#close(byte, at)) return at
        if (this.#closers.length === 0) return this.#endValue(at + 1)
      }
    }
    if (this.#isLongGap(chunk, gapStart, chunk.length)) return this.#failNumber(chunk.length)
    this.#run = endingRun(chunk, gapStart)
    return chunk.length
  }

  /** Whether a number or word in the gap is too long; notes those that are wide. */
  #isLongGap(chunk: Buffer, from: number, to: number): boolean {
    this.#mayHoldWideNumber ||= from < 0 || isWideNumber(chunk, from, to)
    return to - from > MAX_NUMBER_CHARACTERS && hasLongRun(chunk, from, to)
  }

  #failNumber(at: number): number {
    return this.#fail('long-number', at)
  }

  /** Whether it failed. */
  #open(byte: number, at: number): boolean {
    this.#closers.push(byte === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET)
    this.#outerCommas.push(this.#commas)
    this.#commas = 0
    if (this.#closers.length + 1 > this.#limits.depth) this.#fail('too-deep', at)
    return this.#fault !== undefined
  }

  /** Whether it failed. */
  #close(byte: number, at: number): boolean {
    if (this.#closers.pop() !== byte) this.#fail('invalid-json', at)
    this.#values += this.#commas + 1
    this.#commas = this.#outerCommas.pop() ?? 0
    if (this.#values > this.#limits.values) this.#fail('too-many-values', at)
    return this.#fault !== undefined
  }

  /** Whether what is open holds so much that it failed. */
  #hasTooMany(at: number): boolean {
    if (this.#closers.at(-1) === CLOSE_BRACE) this.#fail('too-many-keys', at)
    else if (this.#values + this.#commas > this.#limits.values) this.#fail('too-many-values', at)
    return this.#fault !== undefined
  }

  #enterString(chunk: Buffer): number {
    this.#place = 'in-nested-string'
    return chunk.length
  }

  #fail(fault: RawFault, at: number): number {
    this.#fault = { fault, offset: this.#base + at }
    return at
  }
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}
