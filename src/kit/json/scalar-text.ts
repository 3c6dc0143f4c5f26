import type { JsonValue } from './json.ts'

/**
 * The text of a string, a number, a boolean or null. Empty for all other values, because converting a foreign object
 * to text may throw.
 */
export function scalarText(value: JsonValue | undefined): string {
  return typeof value === 'object' && value !== null ? '' : String(value)
}
