const LETTER = 1
const DIGIT = 2
const SPACE = 3
const LINE_BREAK = 4
const MARK = 5
const IDEOGRAPH = 6
const OTHER = 7

/** The first character above the letters of Latin script. Characters above it are distinguished by their blocks. */
const FIRST_OTHER_LETTER = 0x250
const FIRST_IDEOGRAPH = 0x2e80
const AFTER_IDEOGRAPHS = 0xd7b0
const FIRST_WIDE_FORM = 0xf900
const AFTER_WIDE_FORMS = 0xfb00
const FIRST_FULL_WIDTH = 0xff00
const SHORT_WORD_LETTERS = 6

const latin = Uint8Array.from({ length: FIRST_OTHER_LETTER }, (_, code) => kindOfLatin(code))

function kindOfLatin(code: number): number {
  const character = String.fromCharCode(code)
  if (character === '\n') return LINE_BREAK
  if (/\s/.test(character)) return SPACE
  if (/\d/.test(character)) return DIGIT
  return /\p{L}/u.test(character) ? LETTER : MARK
}

function kindOf(code: number): number {
  if (code < FIRST_OTHER_LETTER) return latin[code] ?? MARK
  if (code < FIRST_IDEOGRAPH) return OTHER
  if (code < AFTER_IDEOGRAPHS) return IDEOGRAPH
  const isWide = (code >= FIRST_WIDE_FORM && code < AFTER_WIDE_FORMS) || code >= FIRST_FULL_WIDTH
  return isWide ? IDEOGRAPH : OTHER
}

/** Counts the characters of texts by kind. Their tokens are estimated from these counts. */
export class TextCounts {
  words = 0
  lettersBeyondSix = 0
  digits = 0
  marks = 0
  gaps = 0
  ideographs = 0
  otherLetters = 0

  /**
   * Counts in one pass, without copies, from `from` to the end of the run of characters that extends beyond `until`.
   * Returns that end, where a later call continues.
   */
  add(text: string, from = 0, until = text.length): number {
    const end = text.length
    let position = from
    while (position < until && position < end) {
      const start = position
      const kind = kindOf(text.charCodeAt(start))
      position += 1
      while (position < end && kindOf(text.charCodeAt(position)) === kind) position += 1
      this.#addRun(kind, position - start)
    }
    return position
  }

  #addRun(kind: number, length: number): void {
    switch (kind) {
      case LETTER:
        this.words += 1
        if (length > SHORT_WORD_LETTERS) this.lettersBeyondSix += length - SHORT_WORD_LETTERS
        return
      case DIGIT:
        this.digits += length
        return
      case SPACE:
        // One space belongs to the word after it.
        if (length > 1) this.gaps += 1
        return
      case LINE_BREAK:
        this.gaps += 1
        return
      case IDEOGRAPH:
        this.ideographs += length
        return
      case OTHER:
        this.otherLetters += length
        return
      default:
        this.marks += 1
    }
  }
}
