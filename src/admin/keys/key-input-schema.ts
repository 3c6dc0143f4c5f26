import { z } from 'zod'
import {
  allowIpsSchema,
  flagSchema,
  keySchema,
  modelNamesSchema,
  nameSchema,
  passthroughSchema,
} from '../../access/key-schema.ts'
import { budgetListSchema, budgetSchema } from '../../access/limits/budget-schema.ts'
import { rateSchema } from '../../access/limits/rate-schema.ts'
import { tagsSchema } from '../../access/limits/tags-schema.ts'
import { withFact } from '../../kit/schema/input-fact.ts'
import { createDurationSchema } from '../../kit/time/duration-schema.ts'
import { DAY_MS } from '../../kit/time/time-units.ts'
import { expirySchema } from '../expiry-schema.ts'

/** The input for a new key: the fields of the configuration file except the secret, which is generated. */
export const createKeySchema = keySchema.in
  .omit({ secret: true, disabled: true, expires_at: true })
  .extend({ expires_at: expirySchema.optional() })

/** The input for a change of a key. Absent fields stay unchanged, and null removes. */
export const changeKeySchema = z
  .strictObject({
    name: nameSchema.optional(),
    models: modelNamesSchema.optional(),
    user: nameSchema.nullable().optional(),
    group: nameSchema.nullable().optional(),
    expires_at: expirySchema.optional(),
    allow_ips: allowIpsSchema.nullable().optional(),
    disabled: flagSchema.optional(),
    dry_run: flagSchema.optional(),
    budgets: budgetListSchema.optional(),
    // A rate without any limit is removed, in the same way as null.
    rate: rateSchema
      .nullable()
      .transform((rate) => rate ?? null)
      .optional(),
    tags: tagsSchema.optional(),
    caller_tags: flagSchema.optional(),
    end_user_budget: budgetSchema.nullable().optional(),
    passthrough: passthroughSchema.optional(),
  })
  .refine((change) => Object.keys(change).length > 0, {
    error: withFact('must name a field to change', { code: 'nothing_to_change', values: {} }),
  })

const overlapSchema = createDurationSchema({ minMs: 0, maxMs: 30 * DAY_MS, range: '0s and 30d' })

/** The input for a rotation of a key's secret. */
export const rotateKeySchema = z.strictObject({
  overlap: overlapSchema.optional().meta({
    description: 'How long the secret before still works, such as "24h", the default; at most 30d.',
  }),
})
