import { pieceBytes, textEnd } from '../bytes/text-end.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const LETTER_U = 0x75
const HEX_DIGITS = 4

const isPlain = tableOf((byte) => byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH)
/** What may follow a backslash, `u` aside. */
const isShortEscape = tableOf((byte) => '"\\/bfnrt'.includes(String.fromCharCode(byte)))
const isHex = tableOf((byte) => /[0-9a-fA-F]/.test(String.fromCharCode(byte)))

/** How far a string is walked before it is searched sixteen bytes at a time: names and short values end before. */
const WALKED_BYTES = 12

/** Follows one string after the other, each from after its opening quote, through the pieces of a text. */
export class StringScanner {
  #state: 'open' | 'closed' | 'invalid' = 'closed'
  /** The piece before ended within an escape. */
  #isInEscape = false
  /** Hex digits that it still needs; 0 where the byte after the backslash is not known yet. */
  #hexLeft = 0

  get isClosed(): boolean {
    return this.#state === 'closed'
  }

  /** Holds a control character, or an escape that JSON does not have. */
  get isInvalid(): boolean {
    return this.#state === 'invalid'
  }

  begin(): void {
    this.#state = 'open'
  }

  /** Gives the offset after the closing quote, that of the byte which is not valid, or `end`. */
  read(start: number, end: number): number {
    let at = start
    while (at < end && this.#state === 'open') {
      at = this.#isInEscape ? this.#readEscape(at) : this.#take(findMark(at, end), end)
    }
    return at
  }

  /** Takes the first byte that is not plain. */
  #take(at: number, end: number): number {
    if (at === end) return end
    switch (pieceBytes[at]) {
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
    const byte = pieceBytes[at] ?? 0
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

/** Within a string: the first byte from here that is not plain, or `end`. Whole escapes on the way may be passed over. */
export function findMark(start: number, end: number): number {
  const walkTo = Math.min(end, start + WALKED_BYTES)
  let at = start
  while (at < walkTo && isPlain[pieceBytes[at] ?? 0] === 1) at += 1
  if (at === end || pieceBytes[at] === QUOTE) return at
  return textEnd(at, end)
}

function tableOf(test: (byte: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => (test(byte) ? 1 : 0))
}
