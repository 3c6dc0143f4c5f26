import { z } from 'zod'
import { byteSizeSchema } from '../kit/byte-size-schema.ts'
import { durationSchema } from '../kit/duration-schema.ts'
import { offSchema } from '../kit/off-schema.ts'

/** How images and documents behind a caller's addresses are fetched for channels that take bytes alone. */
export interface MediaPolicy {
  /** Of one file. */
  readonly maxBytes: number
  /** Of all files of one request. */
  readonly maxTotalBytes: number
  /** Files of one request. */
  readonly maxCount: number
  /** From the first byte asked to the last one had, redirects included. */
  readonly timeoutMs: number
  /** Whether addresses of this machine and of private networks may be asked, too. */
  readonly allowPrivate: boolean
}

export const defaultMedia: MediaPolicy = {
  maxBytes: 20 * 1024 * 1024,
  maxTotalBytes: 32 * 1024 * 1024,
  maxCount: 20,
  timeoutMs: 10_000,
  allowPrivate: false,
}

const countError = 'must be a whole number of files from 1 to 100'

const limitsSchema = z
  .strictObject({
    max_bytes: byteSizeSchema.optional(),
    max_total_bytes: byteSizeSchema.optional(),
    max_count: z
      .int({ error: countError })
      .min(1, { error: countError })
      .max(100, { error: countError })
      .optional(),
    timeout: durationSchema.optional(),
    allow_private: z.boolean({ error: 'must be true or false' }).optional(),
  })
  .transform(
    (input): MediaPolicy => ({
      maxBytes: input.max_bytes ?? defaultMedia.maxBytes,
      maxTotalBytes: input.max_total_bytes ?? defaultMedia.maxTotalBytes,
      maxCount: input.max_count ?? defaultMedia.maxCount,
      timeoutMs: input.timeout ?? defaultMedia.timeoutMs,
      allowPrivate: input.allow_private ?? defaultMedia.allowPrivate,
    }),
  )

/** The section `media`. */
export const mediaSchema = z.union([offSchema, limitsSchema], {
  error: 'must be off, or have limits, such as { max_bytes: 20MB, max_count: 20, timeout: 10s }',
})

/** Undefined where nothing is fetched. */
export function readMedia(input: z.output<typeof mediaSchema> | undefined): MediaPolicy | undefined {
  if (input === 'off' || input === false) return undefined
  return input ?? defaultMedia
}
