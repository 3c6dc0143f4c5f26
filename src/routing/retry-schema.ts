import { z } from 'zod'
import { durationSchema } from '../kit/time/duration-schema.ts'

export interface RetryPolicy {
  /** Attempts in one request, the first included. */
  readonly attempts: number
  /** Further attempts on one target before another is tried. */
  readonly sameTarget: number
  /** A longer wait that an upstream asks for is not waited. */
  readonly maxRetryAfterMs: number
  /** The limit of the whole request, all attempts together. */
  readonly deadlineMs: number
}

const countSchema = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`
  return z.int({ error }).min(min, { error }).max(max, { error })
}

/** The section `retry`. */
export const retrySchema = z
  .strictObject({
    attempts: countSchema(1, 20).optional(),
    same_target: countSchema(0, 10).optional(),
    max_retry_after: durationSchema.optional(),
    deadline: durationSchema.optional(),
  })
  .transform(
    (input): RetryPolicy => ({
      attempts: input.attempts ?? 3,
      sameTarget: input.same_target ?? 1,
      maxRetryAfterMs: input.max_retry_after ?? 3_000,
      deadlineMs: input.deadline ?? 600_000,
    }),
  )
