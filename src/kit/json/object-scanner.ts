import { SCANNED_BYTES, scannedBytes } from '../bytes/find-string-end.ts'
import { looksLikeValue, type RawFault, type RawScan, type RawSpan, type ScanLimits } from './raw-scan.ts'
import { findSpecialByte, NumberScanner, StringScanner } from './string-scanner.ts'
import { WordWatcher } from './watched-words.ts'

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const MINUS = 0x2d
const SPACE = 0x20
const TAB = 0x09
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/** The tokens that may come next, as a set of bits. After the outermost object no token may come. */
const expectable = { text: 1, value: 2, name: 4, colon: 8, comma: 16, close: 32, nothing: 0 } as const
const AFTER_VALUE = expectable.comma | expectable.close

/** The token that contains the next byte. The values are whole numbers, since they are read for each token. */
const insides = { gap: 0, string: 1, number: 2, word: 3 } as const
type Inside = (typeof insides)[keyof typeof insides]

const noWord: Uint8Array = new Uint8Array(0)
/** The literal words by their first byte. */
const words = new Map(['true', 'false', 'null'].map((word) => [word.charCodeAt(0), Buffer.from(word)]))

/**
 * Checks a JSON text (RFC 8259) chunk by chunk, every byte except for its UTF-8, and records the positions of the
 * members of its outermost object. Builds no value. Never throws.
 */
export class ObjectScanner {
  readonly #limits: ScanLimits
  readonly #spans: RawSpan[] = []
  readonly #string = new StringScanner()
  readonly #number = new NumberScanner()
  readonly #words = new WordWatcher()
  #word = noWord
  /** The bytes of the word that were read so far. */
  #wordLength = 0
  /** The closing brackets of all open objects and lists, starting with the outermost object. */
  readonly #closers: number[] = []
  /** The commas so far in each open object and list except the innermost. */
  readonly #outerCommas: number[] = []
  /** The commas so far in the innermost open object or list. */
  #commas = 0
  #values = 0
  #expects: number = expectable.text
  #inside: Inside = insides.gap
  #isName = false
  /** The offset of the current piece in the whole text. */
  #base = 0
  #end = 0
  #insertAt = 0
  #nameStart = 0
  #nameEnd = 0
  #valueStart = 0
  /**
   * The texts so far that are direct elements of the member's value. At the value's end, the number for a list of
   * texts only.
   */
  #texts = 0
  #fault: RawScan['fault']

  constructor(limits: ScanLimits) {
    this.#limits = limits
  }

  push(chunk: Buffer): void {
    if (chunk.length <= SCANNED_BYTES) this.#pushPiece(chunk)
    else {
      for (let from = 0; from < chunk.length; from += SCANNED_BYTES)
        this.#pushPiece(chunk.subarray(from, from + SCANNED_BYTES))
    }
  }

  end(): RawScan {
    if (this.#fault === undefined && this.#expects !== expectable.nothing) this.#fail('invalid-json', 0)
    return {
      spans: this.#spans,
      insertAt: this.#insertAt,
      fault: this.#fault,
      values: this.#values,
      mayHoldWideNumber: this.#number.hasSeenWide,
      words: this.#words.end(),
    }
  }

  #pushPiece(piece: Buffer): void {
    if (this.#fault !== undefined) return
    scannedBytes.set(piece)
    this.#end = piece.length
    let at = 0
    while (at < piece.length) at = this.#inside === insides.gap ? this.#readMark(at) : this.#goOn(at)
    this.#base += piece.length
  }

  /** Continues a token that began in the previous piece. This and the steps below return the next offset to read. */
  #goOn(at: number): number {
    switch (this.#inside) {
      case insides.gap:
        return this.#readMark(at)
      case insides.string:
        return this.#readString(at)
      case insides.number:
        return this.#readNumber(at)
      case insides.word:
        return this.#readWord(at)
    }
  }

  #readMark(at: number): number {
    const byte = scannedBytes[at] ?? 0
    switch (byte) {
      case SPACE:
      case LINE_FEED:
      case CARRIAGE_RETURN:
      case TAB:
        return at + 1
      case QUOTE:
        return this.#startString(at)
      case COMMA:
        return this.#readComma(at)
      case COLON:
        if (!this.#mayCome(expectable.colon)) return this.#fail('invalid-json', at)
        this.#expects = expectable.value
        return at + 1
      case OPEN_BRACE:
      case OPEN_BRACKET:
        return this.#open(byte, at)
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        return this.#close(byte, at)
      default:
        return this.#startScalar(byte, at)
    }
  }

  #mayCome(what: number): boolean {
    return (this.#expects & what) !== 0
  }

  #startString(at: number): number {
    if (this.#mayCome(expectable.value)) {
      this.#startValue(at)
      if (this.#closers.length === 2) this.#texts += 1
      this.#isName = false
    } else if (this.#mayCome(expectable.name)) {
      if (this.#closers.length === 1) this.#nameStart = this.#base + at
      this.#isName = true
    } else return this.#refuse(at)
    const mark = findSpecialByte(at + 1, this.#end)
    // Nearly every string ends in the piece in which it begins.
    if (mark < this.#end && scannedBytes[mark] === QUOTE) {
      if (this.#isName) this.#words.readName(at + 1, mark)
      else if (this.#words.isType) this.#words.readType(at + 1, mark)
      return this.#endString(mark + 1)
    }
    if (this.#isName || this.#words.isType) this.#words.markAll()
    this.#inside = insides.string
    this.#string.begin()
    return this.#readString(mark)
  }

  #readString(start: number): number {
    const at = this.#string.read(start, this.#end)
    if (this.#string.isInvalid) return this.#fail('invalid-json', at)
    return this.#string.isClosed ? this.#endString(at) : at
  }

  #endString(at: number): number {
    if (!this.#isName) return this.#endValue(at)
    this.#inside = insides.gap
    this.#expects = expectable.colon
    if (this.#closers.length === 1) this.#nameEnd = this.#base + at
    return at
  }

  #startScalar(byte: number, at: number): number {
    if (!this.#mayCome(expectable.value)) return this.#refuse(at)
    if (isDigit(byte) || byte === MINUS) {
      this.#startValue(at)
      this.#inside = insides.number
      this.#number.begin(byte)
      return this.#readNumber(at + 1)
    }
    const word = words.get(byte)
    if (word === undefined) return this.#fail('invalid-json', at)
    this.#startValue(at)
    this.#inside = insides.word
    this.#word = word
    this.#wordLength = 1
    return this.#readWord(at + 1)
  }

  #readNumber(start: number): number {
    const at = this.#number.read(start, this.#end)
    if (this.#number.isTooLong) return this.#fail('long-number', at)
    if (at === this.#end) return at
    return this.#number.isWhole ? this.#endValue(at) : this.#fail('invalid-json', at)
  }

  #readWord(start: number): number {
    let at = start
    while (at < this.#end && this.#wordLength < this.#word.length) {
      if (scannedBytes[at] !== this.#word[this.#wordLength]) return this.#fail('invalid-json', at)
      this.#wordLength += 1
      at += 1
    }
    return this.#wordLength === this.#word.length ? this.#endValue(at) : at
  }

  #startValue(at: number): void {
    if (this.#closers.length !== 1) return
    this.#valueStart = this.#base + at
    this.#texts = 0
  }

  #endValue(at: number): number {
    this.#inside = insides.gap
    this.#expects = AFTER_VALUE
    return this.#closers.length === 1 ? this.#addSpan(at) : at
  }

  #addSpan(at: number): number {
    this.#spans.push({
      nameStart: this.#nameStart,
      nameEnd: this.#nameEnd,
      valueStart: this.#valueStart,
      valueEnd: this.#base + at,
      texts: this.#texts,
    })
    return this.#spans.length > this.#limits.keysOfObject ? this.#fail('too-many-keys', at) : at
  }

  #readComma(at: number): number {
    if (!this.#mayCome(expectable.comma)) return this.#fail('invalid-json', at)
    const isInObject = this.#closers.at(-1) === CLOSE_BRACE
    this.#expects = isInObject ? expectable.name : expectable.value
    if (this.#closers.length === 1) return at + 1
    this.#commas += 1
    if (isInObject && this.#commas >= this.#limits.keysOfObject) return this.#fail('too-many-keys', at)
    return this.#countValue(at)
  }

  #open(byte: number, at: number): number {
    if (this.#mayCome(expectable.text)) {
      if (byte !== OPEN_BRACE) return this.#refuse(at)
      this.#insertAt = this.#base + at + 1
    } else if (!this.#mayCome(expectable.value)) return this.#fail('invalid-json', at)
    this.#startValue(at)
    this.#expects = (byte === OPEN_BRACE ? expectable.name : expectable.value) | expectable.close
    this.#closers.push(byte === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET)
    this.#outerCommas.push(this.#commas)
    this.#commas = 0
    if (this.#closers.length > this.#limits.depth) return this.#fail('too-deep', at)
    return this.#closers.length === 1 ? at + 1 : this.#countValue(at)
  }

  #close(byte: number, at: number): number {
    if (!this.#mayCome(expectable.close) || this.#closers.pop() !== byte) return this.#refuse(at)
    if (this.#closers.length === 1 && (byte === CLOSE_BRACE || this.#texts <= this.#commas)) this.#texts = 0
    this.#commas = this.#outerCommas.pop() ?? 0
    if (this.#closers.length > 0) return this.#endValue(at + 1)
    this.#expects = expectable.nothing
    return at + 1
  }

  #countValue(at: number): number {
    this.#values += 1
    return this.#values > this.#limits.values ? this.#fail('too-many-values', at) : at + 1
  }

  #refuse(at: number): number {
    const isOtherValue = this.#mayCome(expectable.text) && looksLikeValue(scannedBytes[at] ?? 0)
    return this.#fail(isOtherValue ? 'not-object' : 'invalid-json', at)
  }

  #fail(fault: RawFault, at: number): number {
    this.#words.markAll()
    this.#fault = { fault, offset: this.#base + at }
    return this.#end
  }
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}
