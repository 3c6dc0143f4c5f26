import type { JsonValue } from '../../kit/json/json.ts'
import { tryParsePlainJson } from '../../kit/json/try-parse-json.ts'

/** Parses an upstream's error as JSON. Text that is not JSON stays text. */
export function parseOrText(text: string): JsonValue {
  const value = tryParsePlainJson(text)
  return value === undefined ? text : value
}
