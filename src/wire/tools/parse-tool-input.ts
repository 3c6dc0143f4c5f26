import { isDeepJson } from '../../kit/json/is-deep-json.ts'
import type { JsonValue } from '../../kit/json/json.ts'
import { tryParseJson } from '../../kit/json/try-parse-json.ts'

/**
 * Parses the complete input of a tool call. Text that is not JSON, or that nests too deep to be written again, stays
 * text.
 */
export function parseToolInput(text: string): JsonValue {
  if (isDeepJson(text)) return text
  const value = tryParseJson(text)
  return value === undefined ? text : value
}
