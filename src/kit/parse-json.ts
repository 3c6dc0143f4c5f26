import type { JsonValue } from './json.ts'

/** Sixteen digits in a row, or a power of ten of three. */
const WIDE_NUMBER = /\d(?:\d{15}|[eE]\+?\d{3})/
const INTEGER = /^-?\d+$/

/** Thrown for a number that no double can hold, such as 1e400. */
export class NumberRangeError extends Error {}

/**
 * Parses JSON text. Integers beyond 2^53 keep all their digits: they become raw JSON that `JSON.stringify` writes
 * back as it came. A scan may already know that there are none. Throws `SyntaxError` on what is not JSON and
 * `NumberRangeError` on numbers beyond any double.
 */
export function parseJson(text: string, mayHoldWideNumber = true): JsonValue {
  if (!mayHoldWideNumber || !WIDE_NUMBER.test(text)) return JSON.parse(text)
  return JSON.parse(text, keepNumber)
}

// The reviver's third argument is newer than the types of the language's library.
function keepNumber(_name: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number') return value
  if (!Number.isFinite(value))
    throw new NumberRangeError(`the number ${context?.source ?? ''} is out of range`)
  const source = context?.source
  if (source === undefined || Number.isSafeInteger(value) || !INTEGER.test(source)) return value
  return rawJson(source)
}

interface RawJsonFactory {
  rawJSON(text: string): unknown
}

function rawJson(text: string): unknown {
  return (JSON as unknown as RawJsonFactory).rawJSON(text)
}
