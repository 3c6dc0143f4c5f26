import { z } from 'zod'
import { keyLifeSchema, keyTimeSchema } from '../access/key-schema.ts'
import { withFormat } from '../kit/schema/input-fact.ts'
import { refuseField } from './view-problem.ts'

/** The expiry of an object: at a time, or a duration after the request. */
export type Expiry =
  | { readonly type: 'at'; readonly atMs: number }
  | { readonly type: 'after'; readonly lengthMs: number }

const explanation = withFormat(
  'must be a time such as 2027-01-01 or 2027-01-01T00:00:00Z, or a span such as "30d"',
  'expiry',
)

export const expirySchema = z
  .union(
    [
      keyTimeSchema.transform((text): Expiry => ({ type: 'at', atMs: Date.parse(text) })),
      keyLifeSchema.transform((lengthMs): Expiry => ({ type: 'after', lengthMs })),
    ],
    { error: explanation },
  )
  .nullable()
  .meta({ description: 'A time, or a span from now such as "30d"; null: never.' })

/** Undefined for no expiry. Throws if the expiry is in the past. `param` names the field. */
export function readExpiry(
  expiry: Expiry | null | undefined,
  nowMs: number,
  param: string,
): number | undefined {
  if (expiry === null || expiry === undefined) return undefined
  const atMs = expiry.type === 'at' ? expiry.atMs : nowMs + expiry.lengthMs
  if (atMs > nowMs) return atMs
  const message = `"${param}": is in the past.`
  throw refuseField('invalid_field', { param, message, fact: { code: 'in_past', values: {} } })
}
