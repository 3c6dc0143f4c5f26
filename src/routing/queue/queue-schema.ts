import { z } from 'zod'
import { offSchema } from '../../kit/schema/off-schema.ts'
import { durationSchema } from '../../kit/time/duration-schema.ts'

/** The policy by which requests wait for a target while every one is in cooldown or full. */
export interface QueuePolicy {
  /** The maximum number of waiting requests, of all keys. */
  readonly size: number
  readonly waitMs: number
}

const defaultQueue: QueuePolicy = { size: 1_000, waitMs: 10_000 }
const sizeError = 'must be a whole number of requests from 1 to 100000'

const limitsSchema = z
  .strictObject({
    size: z
      .int({ error: sizeError })
      .min(1, { error: sizeError })
      .max(100_000, { error: sizeError })
      .optional(),
    wait: durationSchema.optional(),
  })
  .transform(
    (input): QueuePolicy => ({
      size: input.size ?? defaultQueue.size,
      waitMs: input.wait ?? defaultQueue.waitMs,
    }),
  )

/** The schema of the section `queue`. */
export const queueSchema = z.union([offSchema, limitsSchema], {
  error: 'must be off, or have limits, such as { size: 1000, wait: 10s }',
})

/** The policy of the queue; undefined where no request waits. */
export function readQueue(input: z.output<typeof queueSchema> | undefined): QueuePolicy | undefined {
  if (input === 'off' || input === false) return undefined
  return input ?? defaultQueue
}
