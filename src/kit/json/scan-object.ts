import type { BodyBytes } from './body-bytes.ts'
import type { RawFault } from './raw-scan.ts'
import { endOfString } from './wide-numbers.ts'

/** A member of the outermost object of a JSON text, as offsets into its bytes. */
export interface MemberSpan {
  /** The name with its escapes resolved. */
  readonly name: string
  /** The offset of the opening quote of the name. */
  readonly nameStart: number
  readonly valueStart: number
  /** The offset just after the value. */
  readonly valueEnd: number
  /**
   * The number of elements of a list of texts. 0 for an empty list, for a list with any other element, and for any
   * other value.
   */
  readonly texts: number
}

export interface ScannedObject {
  /** The members by case-folded name. */
  readonly members: ReadonlyMap<string, MemberSpan>
  /** The offset just after the opening brace. */
  readonly insertAt: number
}

export type ScanFault =
  | { readonly fault: RawFault; readonly offset: number }
  | { readonly fault: 'duplicate'; readonly offset: number; readonly name: string }

/**
 * Finds the members of the outermost object without building any value. Accepted bytes are JSON (RFC 8259) if they
 * are valid UTF-8.
 */
export function scanObject(body: BodyBytes): ScannedObject | ScanFault {
  const { fault, spans, insertAt } = body.inspection.scan
  if (fault !== undefined) return fault
  const members = new Map<string, MemberSpan>()
  for (const { nameStart, nameEnd, valueStart, valueEnd, texts } of spans) {
    const name = readName(body, nameStart, nameEnd)
    if (name === undefined) return { fault: 'invalid-json', offset: nameStart }
    const folded = foldMemberName(name)
    if (members.has(folded)) return { fault: 'duplicate', offset: nameStart, name }
    members.set(folded, { name, nameStart, valueStart, valueEnd, texts })
  }
  return { members, insertAt }
}

/**
 * Folds letter case as the most lenient JSON readers do: `MODEL` equals `model`, the Kelvin sign equals `k`, and the
 * long s equals `s`.
 */
export function foldMemberName(name: string): string {
  if (isLowerAscii(name)) return name
  return name.toLowerCase().toUpperCase().toLowerCase()
}

/** Whether a name is lower-case ASCII, as nearly every name is. */
function isLowerAscii(name: string): boolean {
  for (let index = 0; index < name.length; index += 1) {
    const unit = name.charCodeAt(index)
    if (unit > 0x7f || (unit >= 0x41 && unit <= 0x5a)) return false
  }
  return true
}

function readName(body: BodyBytes, start: number, end: number): string | undefined {
  const inner = body.text(start + 1, end - 1)
  if (!inner.includes('\\')) return inner
  try {
    return JSON.parse(`"${inner}"`)
  } catch {
    // The name has an invalid escape. The reader of the whole body reports it.
    return undefined
  }
}

/** The limits on the content of a JSON text, whatever its size. */
export interface JsonBounds {
  readonly depth: number
  /** The number of members and elements, including those of inner objects and arrays. */
  readonly values: number
  /** The number of objects and arrays among the values. Each takes many times the memory of a number. */
  readonly containers?: number
}

const OTHER = 0
const QUOTE = 1
const COMMA = 2
const OPEN = 3
const CLOSE = 4
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d

/** The kinds by character code. Nearly all characters of a long text have no kind, so each costs one look-up. */
const kinds = new Uint8Array(0x10000)
for (const [character, kind] of [
  ['"', QUOTE],
  [',', COMMA],
  ['[', OPEN],
  ['{', OPEN],
  [']', CLOSE],
  ['}', CLOSE],
] as const) {
  kinds[character.charCodeAt(0)] = kind
}

/**
 * Finds the bound that a JSON text exceeds, before any part of the text becomes objects. Text that is not JSON may
 * pass, since parsing refuses it. Only a text that is long enough for so many values, or has enough brackets for so
 * many levels, is walked.
 */
export function findExceeded(text: string, bounds: JsonBounds): keyof JsonBounds | undefined {
  const { depth, values, containers = values } = bounds
  if (text.length <= Math.min(values, containers) && !hasMoreBrackets(text, depth)) return undefined
  return new JsonWalk(text, bounds).walk(text.length)
}

/** Whether a text has more than `limit` opening brackets, including brackets within strings. */
export function hasMoreBrackets(text: string, limit: number): boolean {
  // Each level takes two characters.
  if (text.length <= 2 * limit) return false
  let left = limit
  for (const bracket of ['{', '['])
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      left -= 1
      if (left < 0) return true
    }
  return false
}

/** A long array that is a member of the outermost object, as the offsets of its brackets and of some of its commas. */
export interface LongArray {
  readonly start: number
  readonly end: number
  readonly cuts: readonly number[]
}

/** The approximate number of characters between two cuts. */
const PART_CHARACTERS = 1024 * 1024

/** Walks a text in as many parts as the caller wants. */
export class JsonWalk {
  readonly #text: string
  readonly #bounds: Required<JsonBounds>
  #at = 0
  #level = 0
  #commas = 0
  #opened = 0
  #array: { readonly start: number; readonly cuts: number[] } | undefined
  #cutAt = 0
  readonly longArrays: LongArray[] = []

  constructor(text: string, { depth, values, containers = values }: JsonBounds) {
    this.#text = text
    this.#bounds = { depth, values, containers }
  }

  get isOver(): boolean {
    return this.#at >= this.#text.length
  }

  /** Walks up to this offset, or to the end of a string that extends beyond it. Returns the bound that is exceeded. */
  walk(until: number): keyof JsonBounds | undefined {
    const text = this.#text
    const { depth, values, containers } = this.#bounds
    const end = Math.min(until, text.length)
    let at = this.#at
    for (; at < end; at += 1) {
      const kind = kinds[text.charCodeAt(at)]
      if (kind === OTHER) continue
      if (kind === QUOTE) at = endOfString(text, at)
      else if (kind === CLOSE) this.#close(at)
      else {
        if (kind === COMMA) this.#pass(at)
        else {
          this.#open(at)
          if (this.#level > depth) return 'depth'
          if (this.#opened > containers) return 'containers'
        }
        if (this.#commas + this.#opened > values) return 'values'
      }
    }
    this.#at = at
    return undefined
  }

  #open(at: number): void {
    this.#level += 1
    this.#opened += 1
    if (this.#level !== 2 || this.#text.charCodeAt(at) !== OPEN_ARRAY) return
    this.#array = { start: at, cuts: [] }
    this.#cutAt = at
  }

  #pass(at: number): void {
    this.#commas += 1
    if (this.#level !== 2 || at - this.#cutAt < PART_CHARACTERS) return
    this.#array?.cuts.push(at)
    this.#cutAt = at
  }

  #close(at: number): void {
    this.#level -= 1
    if (this.#level !== 1) return
    const array = this.#array
    this.#array = undefined
    if (array === undefined || array.cuts.length === 0 || this.#text.charCodeAt(at) !== CLOSE_ARRAY) return
    this.longArrays.push({ ...array, end: at })
  }
}
