import type { JsonValue } from '../../kit/json/json.ts'
import { tryParsePlainJson } from '../../kit/json/try-parse-json.ts'

/** An upstream's error is JSON, or else plain text. */
export function parseOrText(text: string): JsonValue {
  const value = tryParsePlainJson(text)
  return value === undefined ? text : value
}
