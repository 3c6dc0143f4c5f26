import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from './json.ts'
import { isRawJson, rawJson } from './raw-json.ts'

/** Shorter texts are escaped again rather than held twice. */
const LARGE_CHARACTERS = 64 * 1024

/** A text, and the value that is written as the same without being escaped once more. */
export interface EncodedText {
  readonly text: string
  readonly json: JsonValue
}

export function encodeText(text: string): EncodedText {
  return { text, json: rawJson(JSON.stringify(text)) }
}

/**
 * The same object, its large texts as raw JSON: however often it is written, they are escaped once. One may be encoded
 * already.
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
