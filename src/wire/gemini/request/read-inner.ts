import { GatewayError } from '../../../canonical/failure.ts'
import { isJsonArray, isJsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { parseJson } from '../../../kit/json/parse-json.ts'
import type { FieldSpan, ScannedRequest } from '../../wire-format.ts'

/** The value of a field that holds whole requests. Throws if it is not JSON, or if an object in it repeats a field. */
export function readInner({ body }: ScannedRequest, field: FieldSpan): JsonValue {
  const text = body.textOf(field)
  const value = parse(text, field.name)
  // The parser keeps the last of two members with the same name, and another reader may use the first.
  if (countColons(text) !== countMembers(value)) throw doubled(field.name, 'A field of an object in')
  return value
}

/** The error for a field that is present twice, perhaps once under each of its names. */
export function doubled(param: string, what = 'The field'): GatewayError {
  return new GatewayError('duplicate_field', {
    param,
    message: `${what} "${param}" is present more than once, perhaps under both of its names. Send it once.`,
  })
}

function parse(text: string, name: string): JsonValue {
  try {
    return parseJson(text)
  } catch (cause) {
    const message = `The field "${name}" is not valid JSON.`
    throw new GatewayError('invalid_field', { param: name, message }, { cause })
  }
}

/** Counts the colons outside of strings. Each member of an object has exactly one. */
function countColons(text: string): number {
  let count = 0
  let at = 0
  while (at < text.length) {
    const quote = text.indexOf('"', at)
    const end = quote === -1 ? text.length : quote
    for (; at < end; at += 1) if (text.charCodeAt(at) === COLON) count += 1
    at = quote === -1 ? end : afterString(text, quote)
  }
  return count
}

const COLON = 0x3a
const BACKSLASH = 0x5c

function afterString(text: string, quote: number): number {
  for (let end = text.indexOf('"', quote + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1
    if (escapes % 2 === 0) return end + 1
  }
  return text.length
}

function countMembers(value: JsonValue | undefined): number {
  if (isJsonArray(value)) return value.reduce((sum: number, each) => sum + countMembers(each), 0)
  // The raw JSON of a number too wide for a double is an object too, and the only frozen object here.
  if (!isJsonObject(value) || Object.isFrozen(value)) return 0
  return Object.values(value).reduce((sum: number, each) => sum + 1 + countMembers(each), 0)
}
