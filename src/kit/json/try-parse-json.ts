import type { JsonValue } from './json.ts'
import { parseJson } from './parse-json.ts'

/** Parses as `parseJson` does; undefined for a text that `parseJson` refuses. */
export function tryParseJson(text: string): JsonValue | undefined {
  try {
    return parseJson(text)
  } catch {
    // It fails for what is not JSON and for numbers out of range, and for nothing else.
    return undefined
  }
}
