import type { JsonValue } from './json.ts'

/** The text of a string, a number, a boolean or null. Empty for all else: an object of a stranger may throw over it. */
export function scalarText(value: JsonValue | undefined): string {
  return typeof value === 'object' && value !== null ? '' : String(value)
}
