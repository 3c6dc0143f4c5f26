import { z } from 'zod'
import { offSchema } from '../kit/schema/off-schema.ts'
import { durationSchema } from '../kit/time/duration-schema.ts'
import { type Breaker, defaultBreaker } from './channel.ts'

const countError = 'must be a whole number of failures from 1 to 1000'

const limitsSchema = z
  .strictObject({
    failures: z
      .int({ error: countError })
      .min(1, { error: countError })
      .max(1_000, { error: countError })
      .optional(),
    window: durationSchema.optional(),
  })
  .transform(
    (input): Breaker => ({
      failures: input.failures ?? defaultBreaker.failures,
      windowMs: input.window ?? defaultBreaker.windowMs,
    }),
  )

/** A channel's `breaker`. */
export const breakerSchema = z.union([offSchema, limitsSchema], {
  error: 'must be off, or have limits, such as { failures: 5, window: 10s }',
})
