import type { Steps } from '../async/steps.ts'
import { systemRandom } from '../random/random.ts'
import type { JsonValue } from './json.ts'
import { rawJson } from './raw-json.ts'
import { findWideNumbers } from './wide-numbers.ts'

/** Sixteen digits in a row, or an exponent of three digits. */
const WIDE_NUMBER = /\d(?:\d{15}|[eE]\+?\d{3})/
const INTEGER = /^-?(?:0|[1-9]\d*)$/
/** A longer text is searched only outside its strings. */
const SHORT_TEXT = 4_096

/** Thrown for a number that no double can hold, such as 1e400. */
export class NumberRangeError extends Error {
  override readonly name = 'NumberRangeError'
}

/** Whether an error means that `parseJson` refused the text, as a `SyntaxError` or a `NumberRangeError`. */
export function isParseFault(error: unknown): error is SyntaxError | NumberRangeError {
  return error instanceof SyntaxError || error instanceof NumberRangeError
}

/**
 * Parses JSON text. Integers beyond 2^53 keep all their digits: they become raw JSON that `JSON.stringify` writes
 * back unchanged. `mayHoldWideNumber` is false where a scan found no such number. Throws `SyntaxError` for text that
 * is not JSON and `NumberRangeError` for numbers beyond any double.
 */
export function parseJson(text: string, mayHoldWideNumber = true): JsonValue {
  if (!mayHoldWideNumber || !holdsWideNumber(text)) return JSON.parse(text)
  const steps = parseJsonInSteps(text)
  let next = steps.next()
  while (next.done !== true) next = steps.next()
  return next.value
}

/** May be true for a short text that has such a number only in its strings. */
function holdsWideNumber(text: string): boolean {
  return text.length <= SHORT_TEXT ? WIDE_NUMBER.test(text) : findWideNumbers(text).length > 0
}

/** Parses JSON text with the result and errors of `parseJson`, and pauses in a large text. */
export function* parseJsonInSteps(text: string): Steps<JsonValue> {
  const { marked, outOfRange } = yield* markWideIntegers(text)
  yield
  let value: JsonValue = JSON.parse(marked ?? text)
  if (marked !== undefined) {
    yield
    value = yield* replaceMarks(value)
  }
  if (outOfRange !== undefined) throw new NumberRangeError(`the number ${outOfRange} is out of range`)
  return value
}

/**
 * The prefix that marks an integer which is parsed as a string. Without the mark, a reviver would run for each value
 * of the text. The prefix is random and secret, so no other string begins with it.
 */
const NUMBER_PREFIX = systemRandom.bytes(16).toString('hex')

interface Marked {
  /** The text with marked numbers. Undefined where no number is marked. */
  readonly marked: string | undefined
  /** The first number that is out of range. */
  readonly outOfRange: string | undefined
}

function* markWideIntegers(text: string): Steps<Marked> {
  let outOfRange: string | undefined
  let parts: string[] = []
  const joined: string[] = []
  let end = 0
  for (const span of findWideNumbers(text)) {
    const source = text.slice(span.start, span.end)
    const value = Number(source)
    if (!Number.isFinite(value)) outOfRange ??= source
    if (Number.isSafeInteger(value) || !INTEGER.test(source)) continue
    parts.push(text.slice(end, span.start), '"', NUMBER_PREFIX, source, '"')
    end = span.end
    if (parts.length < PAUSE_PARTS) continue
    joined.push(parts.join(''))
    parts = []
    yield
  }
  if (end === 0) return { marked: undefined, outOfRange }
  joined.push(parts.join(''), text.slice(end))
  return { marked: joined.join(''), outOfRange }
}

/**
 * Replaces marks within a value. The value was parsed for this call only, so it is changed in place. The walk has no
 * recursion, since the value may be deep.
 */
function* replaceMarks(value: JsonValue): Steps<JsonValue> {
  const outer = { value }
  const waiting: unknown[] = [outer]
  const visit = (inner: unknown): unknown => {
    if (typeof inner === 'object' && inner !== null) waiting.push(inner)
    return typeof inner === 'string' ? readMarked(inner) : undefined
  }
  for (let holder = waiting.pop(); holder !== undefined; holder = waiting.pop()) {
    if (Array.isArray(holder)) yield* replaceElements(holder, visit)
    else if (typeof holder === 'object' && holder !== null) yield* replaceMembers(holder, visit)
  }
  return outer.value
}

/** The number of elements whose marks are replaced in one step. */
const PAUSE_ELEMENTS = 20_000
/** The number of text parts that are gathered in one step. Each number takes some five parts. */
const PAUSE_PARTS = 100_000

type Visit = (inner: unknown) => unknown

function* replaceElements(list: unknown[], visit: Visit): Steps<void> {
  for (let index = 0; index < list.length; index += 1) {
    const raw = visit(list[index])
    if (raw !== undefined) list[index] = raw
    if (index % PAUSE_ELEMENTS === PAUSE_ELEMENTS - 1) yield
  }
}

function* replaceMembers(holder: object, visit: Visit): Steps<void> {
  for (const [index, [name, inner]] of Object.entries(holder).entries()) {
    if (index % PAUSE_ELEMENTS === PAUSE_ELEMENTS - 1) yield
    // A number in place of a name is not JSON.
    if (name.startsWith(NUMBER_PREFIX)) throw new SyntaxError('a name of an object is a number')
    const raw = visit(inner)
    // The member is defined rather than assigned, since its name may be `__proto__`.
    if (raw !== undefined) Object.defineProperty(holder, name, { value: raw })
  }
}

/** The number after a mark. Undefined without a mark. */
function readMarked(text: string): unknown {
  return text.startsWith(NUMBER_PREFIX) ? rawJson(text.slice(NUMBER_PREFIX.length)) : undefined
}
