import { z } from 'zod'
import { offSchema } from '../kit/schema/off-schema.ts'
import { durationSchema } from '../kit/time/duration-schema.ts'
import type { HealthCheck } from './channel.ts'

const LEAST_MS = 1_000
const DEFAULT_EVERY_MS = 30_000

const policySchema = z
  .strictObject({
    every: durationSchema.refine((ms) => ms >= LEAST_MS, { error: 'must be at least 1s' }).optional(),
    one_token: z.boolean({ error: 'must be true or false' }).optional(),
  })
  .transform(
    (input): HealthCheck => ({
      everyMs: input.every ?? DEFAULT_EVERY_MS,
      mayGenerate: input.one_token ?? false,
    }),
  )

/** A channel's `health_check`. */
export const healthCheckSchema = z.union([offSchema, policySchema], {
  error: 'must be off, or say how often, such as { every: 30s }',
})
