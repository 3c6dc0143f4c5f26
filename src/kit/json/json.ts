export type JsonPrimitive = string | number | boolean | null
export type JsonValue = JsonPrimitive | JsonObject | readonly JsonValue[]
export interface JsonObject {
  readonly [name: string]: JsonValue | undefined
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isJsonArray(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value)
}

/** The objects of a list. Empty for any other value. */
export function objectsIn(value: unknown): readonly JsonObject[] {
  return isJsonArray(value) ? value.filter(isJsonObject) : []
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Writes a text as a JSON string. Names of models are nearly all plain and are quoted without a JSON writer. */
export function quoteText(text: string): string {
  return isPlain(text, 0, text.length) ? `"${text}"` : JSON.stringify(text)
}

/** Whether a JSON text is a string of printable ASCII without escapes, which can be read by removing its quotes. */
export function isPlainString(json: string): boolean {
  const last = json.length - 1
  return last > 0 && json.charCodeAt(0) === QUOTE && json.charCodeAt(last) === QUOTE && isPlain(json, 1, last)
}

function isPlain(text: string, from: number, to: number): boolean {
  for (let index = from; index < to; index += 1) {
    const unit = text.charCodeAt(index)
    if (unit < 0x20 || unit > 0x7e || unit === QUOTE || unit === BACKSLASH) return false
  }
  return true
}
