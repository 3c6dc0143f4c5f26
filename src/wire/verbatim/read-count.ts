import { isJsonObject } from '../../kit/json/json.ts'
import type { ScannedRequest } from '../wire-format.ts'
import { fieldValue } from './scan-body.ts'

type Fields = Pick<ScannedRequest, 'body' | 'fields'>

/** The most tokens that a cap counts as, so that sums of money stay numbers; no model writes as many. */
const MAX_CAP = 1_000_000_000
/** The most answers; no server gives as many to one request. */
const MAX_COUNT = 10_000

/** A field as it was sent; undefined where it is absent or null, which is the same. */
export function readSent({ body, fields }: Fields, name: string): unknown {
  const field = fields.get(name)
  return field === undefined ? undefined : (fieldValue(body, field) ?? undefined)
}

/** The object in a field; undefined where there is none. */
export function readInnerField(value: unknown, name: string): unknown {
  return isJsonObject(value) ? (value[name] ?? undefined) : undefined
}

/**
 * The output cap of values that were sent for it, of which the upstream may take any. Undefined where none was sent,
 * and where one is no number that caps: an upstream may pass over it, or take it for "without limit".
 */
export function capOf(values: readonly unknown[], min = 1): number | undefined {
  let cap: number | undefined
  for (const value of values) {
    if (value === undefined) continue
    if (typeof value !== 'number' || value < min) return undefined
    cap = Math.max(cap ?? 0, Math.min(Math.ceil(value), MAX_CAP))
  }
  return cap
}

/** The number asked for, at least one. Text that is a number counts, since lax servers take it. */
export function countOf(value: unknown): number {
  const number = typeof value === 'string' ? Number(value) : value
  if (typeof number !== 'number' || Number.isNaN(number)) return 1
  return Math.min(Math.max(1, Math.ceil(number)), MAX_COUNT)
}

/** A limit that a request sets for calls of tools. */
export function limitOf(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 ? Math.min(Math.ceil(value), MAX_COUNT) : undefined
}
