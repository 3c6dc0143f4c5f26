import { GatewayError } from '../../../canonical/failure.ts'
import { isJsonArray, isJsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { parseJson } from '../../../kit/json/parse-json.ts'
import type { FieldSpan, ScannedRequest } from '../../wire-format.ts'

/** The value of a field that holds whole requests. Throws where it is no JSON, or an object in it has a field twice. */
export function readInner({ body }: ScannedRequest, field: FieldSpan): JsonValue {
  const text = body.textOf(field)
  const value = parse(text, field.name)
  // The parser keeps the last of two members of one name, and another reader may take the first.
  if (countColons(text) !== countMembers(value)) throw doubled(field.name, 'A field of an object in')
  return value
}

/** A field that is present under one of its names, or under both. */
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

/** Colons outside of strings, of which each member of an object has one. */
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
  // Raw JSON of a wide number is an object too, the only one here that is frozen.
  if (!isJsonObject(value) || Object.isFrozen(value)) return 0
  return Object.values(value).reduce((sum: number, each) => sum + 1 + countMembers(each), 0)
}
