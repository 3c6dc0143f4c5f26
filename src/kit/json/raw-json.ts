import type { JsonValue } from './json.ts'

interface RawJsonFactory {
  rawJSON(text: string): JsonValue
  isRawJSON(value: unknown): boolean
}

const factory = JSON as unknown as RawJsonFactory

/** A value that `JSON.stringify` writes as this text of JSON. */
export function rawJson(text: string): JsonValue {
  return factory.rawJSON(text)
}

export function isRawJson(value: JsonValue): boolean {
  return factory.isRawJSON(value)
}
