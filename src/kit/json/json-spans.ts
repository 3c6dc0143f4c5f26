import { BodyBytes } from './body-bytes.ts'
import { scanObject } from './scan-object.ts'
import { tryParseJson } from './try-parse-json.ts'

/** The offsets of a value within the bytes of a JSON text. */
export interface JsonSpan {
  readonly start: number
  readonly end: number
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d

const noMembers: ReadonlyMap<string, JsonSpan> = new Map()

/**
 * The members of an object by case-folded name. Empty where the value is not an object, or where a name occurs twice.
 */
export function membersOf(bytes: Buffer, { start, end }: JsonSpan): ReadonlyMap<string, JsonSpan> {
  if (bytes[start] !== OPEN_OBJECT) return noMembers
  const scanned = scanObject(BodyBytes.from([bytes.subarray(start, end)]))
  if ('fault' in scanned) return noMembers
  const members = new Map<string, JsonSpan>()
  for (const [name, { valueStart, valueEnd }] of scanned.members)
    members.set(name, { start: start + valueStart, end: start + valueEnd })
  return members
}

/** The elements of an array in valid JSON. Yields nothing where the value is not an array. */
export function* elementsOf(bytes: Buffer, { start, end }: JsonSpan): Generator<JsonSpan, void> {
  if (bytes[start] !== OPEN_ARRAY) return
  let depth = 0
  let begun = start + 1
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at]
    if (byte === QUOTE) at = endOfString(bytes, at, end)
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) depth += 1
    else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth -= 1
    const isEnd = depth === 0 && byte === CLOSE_ARRAY
    if (!isEnd && !(depth === 1 && byte === COMMA)) continue
    const element = withoutBlanks(bytes, begun, at)
    if (element.start < element.end) yield element
    if (isEnd) return
    begun = at + 1
  }
}

/** The text of a string. Undefined for any other value. */
export function stringOf(bytes: Buffer, span: JsonSpan | undefined): string | undefined {
  if (span === undefined || bytes[span.start] !== QUOTE) return undefined
  const value = tryParseJson(bytes.toString('utf8', span.start, span.end))
  return typeof value === 'string' ? value : undefined
}

export interface SpanChange extends JsonSpan {
  readonly bytes: Buffer
}

/** Replaces some spans of the bytes. The spans must not overlap. */
export function replaceSpans(bytes: Buffer, changes: readonly SpanChange[]): Buffer {
  if (changes.length === 0) return bytes
  const parts: Buffer[] = []
  let from = 0
  for (const change of changes.toSorted((one, other) => one.start - other.start)) {
    parts.push(bytes.subarray(from, change.start), change.bytes)
    from = change.end
  }
  return Buffer.concat([...parts, bytes.subarray(from)])
}

/** The offset of the closing quote. */
function endOfString(bytes: Buffer, start: number, end: number): number {
  for (let at = start + 1; at < end; at += 1) {
    if (bytes[at] === BACKSLASH) at += 1
    else if (bytes[at] === QUOTE) return at
  }
  return end
}

function withoutBlanks(bytes: Buffer, from: number, to: number): JsonSpan {
  let [start, end] = [from, to]
  while (start < end && (bytes[start] ?? 0) <= 0x20) start += 1
  while (end > start && (bytes[end - 1] ?? 0) <= 0x20) end -= 1
  return { start, end }
}
