import { z } from 'zod'
import { keyLifeSchema, keyTimeSchema } from '../access/key-schema.ts'
import { GatewayError } from '../canonical/failure.ts'

/** The end of something: at a time, or so long after it is asked for. */
export type Expiry =
  | { readonly type: 'at'; readonly atMs: number }
  | { readonly type: 'after'; readonly lengthMs: number }

const explanation = 'must be a time such as 2027-01-01 or 2027-01-01T00:00:00Z, or a span such as "30d"'

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

/** Undefined: never. Throws where it is over already; `param` names the field. */
export function readExpiry(
  expiry: Expiry | null | undefined,
  nowMs: number,
  param: string,
): number | undefined {
  if (expiry === null || expiry === undefined) return undefined
  const atMs = expiry.type === 'at' ? expiry.atMs : nowMs + expiry.lengthMs
  if (atMs > nowMs) return atMs
  throw new GatewayError('invalid_field', { param, message: `"${param}": is in the past.` })
}
