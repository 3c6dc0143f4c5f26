import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from './json.ts'
import { isRawJson, rawJson } from './raw-json.ts'

/** Shorter texts are escaped again, which is cheaper than a second copy in memory. */
const LARGE_CHARACTERS = 64 * 1024

/** A text, and its escaped form as a raw JSON value. */
export interface EncodedText {
  readonly text: string
  readonly json: JsonValue
}

export function encodeText(text: string): EncodedText {
  return { text, json: rawJson(JSON.stringify(text)) }
}

/**
 * Replaces the object's large texts by raw JSON, so that they are escaped once, however often the object is written.
 * `known` is a text that is already escaped.
 */
export function encodeLargeTexts(object: JsonObject, known?: EncodedText): JsonObject {
  const encode = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') {
      if (!isLargeText(value)) return value
      return value === known?.text ? known.json : encodeText(value).json
    }
    if (isJsonArray(value)) return value.map(encode)
    return isJsonObject(value) && !isRawJson(value) ? encodeLargeTexts(value, known) : value
  }
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, value === undefined ? undefined : encode(value)]),
  )
}

export function isLargeText(text: string): boolean {
  return text.length >= LARGE_CHARACTERS
}
