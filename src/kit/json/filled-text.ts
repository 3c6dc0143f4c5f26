import type { JsonValue } from './json.ts'

/** The text. Undefined where the value is absent, empty or not a text. */
export function filledText(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
