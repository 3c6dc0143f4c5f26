import type { JsonValue } from './json.ts'
import { systemRandom } from './random.ts'
import { findWideNumbers } from './wide-numbers.ts'

/** Sixteen digits in a row, or a power of ten of three. */
const WIDE_NUMBER = /\d(?:\d{15}|[eE]\+?\d{3})/
const INTEGER = /^-?(?:0|[1-9]\d*)$/
/** Up to here one look at the whole text costs less than one at what stands outside its strings. */
const SHORT_TEXT = 4_096

/** Thrown for a number that no double can hold, such as 1e400. */
export class NumberRangeError extends Error {}

/**
 * Parses JSON text. Integers beyond 2^53 keep all their digits: they become raw JSON that `JSON.stringify` writes
 * back as it came. A scan may already know that there are none. Throws `SyntaxError` on what is not JSON and
 * `NumberRangeError` on numbers beyond any double.
 */
export function parseJson(text: string, mayHoldWideNumber = true): JsonValue {
  if (!mayHoldWideNumber || (text.length <= SHORT_TEXT && !WIDE_NUMBER.test(text))) return JSON.parse(text)
  const { marked, isOutOfRange } = markWideIntegers(text)
  const value = marked === undefined ? JSON.parse(text) : replaceMarks(JSON.parse(marked))
  if (isOutOfRange !== undefined) throw new NumberRangeError(`the number ${isOutOfRange} is out of range`)
  return value
}

/**
 * Stands before an integer that is parsed as a string. A reviver would be called for each value of the text, which takes
 * some twenty times as long as parsing it. Nobody outside knows it, so no string begins with it by chance.
 */
const MARK = systemRandom.bytes(16).toString('hex')

interface Marked {
  /** Undefined where nothing is marked. */
  readonly marked: string | undefined
  /** The first number that is. */
  readonly isOutOfRange: string | undefined
}

function markWideIntegers(text: string): Marked {
  let isOutOfRange: string | undefined
  const parts: string[] = []
  let end = 0
  for (const span of findWideNumbers(text)) {
    const source = text.slice(span.start, span.end)
    const value = Number(source)
    if (!Number.isFinite(value)) isOutOfRange ??= source
    if (Number.isSafeInteger(value) || !INTEGER.test(source)) continue
    parts.push(text.slice(end, span.start), '"', MARK, source, '"')
    end = span.end
  }
  if (parts.length === 0) return { marked: undefined, isOutOfRange }
  parts.push(text.slice(end))
  return { marked: parts.join(''), isOutOfRange }
}

/** Of a value that was parsed for this alone, so that it is changed itself. Without recursion, since it may be deep. */
function replaceMarks(value: JsonValue): JsonValue {
  const outer = { value }
  const waiting: unknown[] = [outer]
  const take = (inner: unknown): unknown => {
    if (typeof inner === 'object' && inner !== null) waiting.push(inner)
    return typeof inner === 'string' ? readMarked(inner) : undefined
  }
  for (let holder = waiting.pop(); holder !== undefined; holder = waiting.pop()) {
    if (Array.isArray(holder)) replaceElements(holder, take)
    else if (typeof holder === 'object' && holder !== null) replaceMembers(holder, take)
  }
  return outer.value
}

type Take = (inner: unknown) => unknown

function replaceElements(list: unknown[], take: Take): void {
  for (let index = 0; index < list.length; index += 1) {
    const raw = take(list[index])
    if (raw !== undefined) list[index] = raw
  }
}

function replaceMembers(holder: object, take: Take): void {
  for (const [name, inner] of Object.entries(holder)) {
    // A number in the place of a name is not JSON.
    if (name.startsWith(MARK)) throw new SyntaxError('a name of an object is a number')
    const raw = take(inner)
    // Defined and not set, since a member may be named __proto__.
    if (raw !== undefined) Object.defineProperty(holder, name, { value: raw })
  }
}

/** The number behind a mark; undefined where there is none. */
function readMarked(text: string): unknown {
  return text.startsWith(MARK) ? rawJson(text.slice(MARK.length)) : undefined
}

interface RawJsonFactory {
  rawJSON(text: string): unknown
}

function rawJson(text: string): unknown {
  return (JSON as unknown as RawJsonFactory).rawJSON(text)
}
