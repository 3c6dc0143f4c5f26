import type { JsonValue } from './json.ts'
import { isParseFault, parseJson } from './parse-json.ts'

/** Parses as `parseJson` does; undefined for a text that `parseJson` refuses. */
export function tryParseJson(text: string): JsonValue | undefined {
  try {
    return parseJson(text)
  } catch (error) {
    if (isParseFault(error)) return undefined
    throw error
  }
}

/** Parses as `JSON.parse` does; undefined for what is not JSON. For a value that is looked at and not written again. */
export function tryParsePlainJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
