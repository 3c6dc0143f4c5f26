import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from './json.ts'
import { isRawJson, rawJson } from './raw-json.ts'

/** Shorter texts cost less to escape again than to hold twice. */
const LARGE_CHARACTERS = 64 * 1024

/** The same object, its large texts as raw JSON: however often it is written, they are escaped once. */
export function encodeLargeTexts(object: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, value === undefined ? undefined : encode(value)]),
  )
}

function encode(value: JsonValue): JsonValue {
  if (typeof value === 'string') return isLargeText(value) ? rawJson(JSON.stringify(value)) : value
  if (isJsonArray(value)) return value.map(encode)
  return isJsonObject(value) && !isRawJson(value) ? encodeLargeTexts(value) : value
}

export function isLargeText(text: string): boolean {
  return text.length >= LARGE_CHARACTERS
}
