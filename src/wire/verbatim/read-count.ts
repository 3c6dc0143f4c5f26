import { isJsonObject } from '../../kit/json/json.ts'
import type { ScannedRequest } from '../wire-format.ts'
import { fieldValue } from './scan-body.ts'

type Fields = Pick<ScannedRequest, 'body' | 'fields'>

/** The maximum that a cap can mean, so that amounts of money remain numbers. No model writes as many tokens. */
const MAX_CAP = 1_000_000_000
/** The maximum number of answers. No server gives as many to one request. */
const MAX_COUNT = 10_000

/** Returns the value of a field; undefined where the field is absent or null, which mean the same. */
export function readSent({ body, fields }: Fields, name: string): unknown {
  const field = fields.get(name)
  return field === undefined ? undefined : (fieldValue(body, field) ?? undefined)
}

/** Returns a member of the object in a field; undefined where there is none. */
export function readInnerField(value: unknown, name: string): unknown {
  return isJsonObject(value) ? (value[name] ?? undefined) : undefined
}

/**
 * Returns the output cap for several fields that set it, since the upstream may use any of them. Undefined where no
 * field is set, or where one is not a number that can be a cap: an upstream may ignore it, or read it as "without
 * limit".
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

/** Returns the requested number, at least one. Numbers written as text are read too, since lax servers accept them. */
export function countOf(value: unknown): number {
  const number = typeof value === 'string' ? Number(value) : value
  if (typeof number !== 'number' || Number.isNaN(number)) return 1
  return Math.min(Math.max(1, Math.ceil(number)), MAX_COUNT)
}

/** Returns a request's limit for tool calls. */
export function limitOf(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 ? Math.min(Math.ceil(value), MAX_COUNT) : undefined
}
