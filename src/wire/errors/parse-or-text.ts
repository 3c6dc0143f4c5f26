import type { JsonValue } from '../../kit/json/json.ts'

/** An upstream's error is JSON, or else plain text. */
export function parseOrText(text: string): JsonValue {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
