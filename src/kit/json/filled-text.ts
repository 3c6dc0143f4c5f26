import type { JsonValue } from './json.ts'

/** The text; undefined where there is none or it is empty. */
export function filledText(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
