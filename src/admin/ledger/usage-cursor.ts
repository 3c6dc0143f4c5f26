import { refuse } from '../../canonical/refusal.ts'
import { isJsonArray, isJsonObject } from '../../kit/json/json.ts'
import { tryParseJson } from '../../kit/json/try-parse-json.ts'
import type { UsageCursor } from '../../metering/usage-query.ts'

/** The cursor after the last group of a page, as an opaque text for clients. */
export function writeUsageCursor({ names, cost }: UsageCursor): string {
  return Buffer.from(JSON.stringify({ names, cost: String(cost) })).toString('base64url')
}

/** `dimensions` is the number of the report's dimensions. */
export function readUsageCursor(text: string, dimensions: number): UsageCursor {
  const value = tryParseJson(Buffer.from(text, 'base64url').toString('utf8'))
  const names = isJsonObject(value) ? value['names'] : undefined
  const cost = isJsonObject(value) ? value['cost'] : undefined
  if (isNames(names) && names.length === dimensions && typeof cost === 'string' && /^-?\d{1,40}$/.test(cost))
    return { names, cost: BigInt(cost) }
  throw refuse('invalid_field', {
    param: 'after',
    message: '"after" must be the "next" of a page of the same report.',
    fact: { code: 'wrong_cursor', values: {} },
  })
}

function isNames(value: unknown): value is readonly (string | null)[] {
  return isJsonArray(value) && value.every((name) => name === null || typeof name === 'string')
}
