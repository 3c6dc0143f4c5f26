import type { JsonValue } from '../../kit/json/json.ts'

/** An upstream's error is JSON, or else the words themselves. */
export function parseOrText(text: string): JsonValue {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
