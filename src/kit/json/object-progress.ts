import { tryParsePlainJson } from './try-parse-json.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_OBJECT = 0x7b
const OPEN_ARRAY = 0x5b
const CLOSE_OBJECT = 0x7d
const CLOSE_ARRAY = 0x5d

/** Follows a text that arrives in pieces, and says when it is a whole JSON object. Each piece is read once. */
export class ObjectProgress {
  text = ''
  #depth = 0
  #isInString = false
  #isEscaped = false
  #hasBegun = false
  /** Set where an object is impossible because something comes before its brace or after its end. */
  #isBroken = false
  /** Whether the object is whole, checked when its last brace has arrived. Undefined before. */
  #isWhole: boolean | undefined

  push(piece: string): void {
    this.text += piece
    for (let at = 0; at < piece.length; at += 1) this.#read(piece.charCodeAt(at))
  }

  /** Whether the object's last brace has arrived, as far as brackets tell. */
  get isClosed(): boolean {
    return this.#hasBegun && this.#depth === 0 && !this.#isBroken
  }

  /** Whether the object is complete, so that only white space can follow. */
  get isWhole(): boolean {
    if (!this.isClosed) return false
    this.#isWhole ??= isJson(this.text)
    return this.#isWhole
  }

  #read(code: number): void {
    if (this.#isInString) this.#readInString(code)
    else if (this.#depth === 0) this.#readOutside(code)
    else if (code === QUOTE) this.#isInString = true
    else if (code === OPEN_OBJECT || code === OPEN_ARRAY) this.#depth += 1
    else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) this.#depth -= 1
  }

  #readInString(code: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (code === BACKSLASH) this.#isEscaped = true
    else if (code === QUOTE) this.#isInString = false
  }

  #readOutside(code: number): void {
    if (code === 0x20 || (code >= 0x09 && code <= 0x0d)) return
    if (this.#hasBegun || code !== OPEN_OBJECT) {
      this.#isBroken = true
      return
    }
    this.#hasBegun = true
    this.#depth = 1
  }
}

function isJson(text: string): boolean {
  return tryParsePlainJson(text) !== undefined
}
