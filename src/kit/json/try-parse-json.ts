import type { JsonValue } from './json.ts'
import { parseJson } from './parse-json.ts'

/** As `parseJson` does; undefined for what that refuses. */
export function tryParseJson(text: string): JsonValue | undefined {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
