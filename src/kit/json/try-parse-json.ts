import type { JsonValue } from './json.ts'
import { isParseFault, parseJson } from './parse-json.ts'

/** Parses with `parseJson`. Undefined for a text that `parseJson` refuses. */
export function tryParseJson(text: string): JsonValue | undefined {
  try {
    return parseJson(text)
  } catch (error) {
    if (isParseFault(error)) return undefined
    throw error
  }
}

/**
 * Parses with `JSON.parse`. Undefined for text that is not JSON. Use this for a value that is read and not written
 * again.
 */
export function tryParsePlainJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
