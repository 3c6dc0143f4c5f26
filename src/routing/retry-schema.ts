import { z } from 'zod'
import { durationSchema } from '../kit/time/duration-schema.ts'

export interface RetryPolicy {
  /** The maximum number of attempts in one request, including the first. */
  readonly attempts: number
  /** The maximum number of retries on one target before another target is tried. */
  readonly sameTarget: number
  /** The longest wait that an upstream may ask for. The gateway does not wait longer. */
  readonly maxRetryAfterMs: number
  /** The time limit of the whole request with all attempts. */
  readonly deadlineMs: number
}

const countSchema = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`
  return z.int({ error }).min(min, { error }).max(max, { error })
}

/** The schema of the section `retry`. */
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
