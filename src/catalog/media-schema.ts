import { z } from 'zod'
import { byteSizeSchema } from '../kit/bytes/byte-size-schema.ts'
import { offSchema } from '../kit/schema/off-schema.ts'
import { durationSchema } from '../kit/time/duration-schema.ts'

/** The limits on fetching images and documents at callers' addresses, for channels that accept only bytes. */
export interface MediaPolicy {
  /** The size limit of one file. */
  readonly maxBytes: number
  /** The size limit of all files of one request. */
  readonly maxTotalBytes: number
  /** The limit of files in one request. */
  readonly maxCount: number
  /**
   * The limit of bytes for all files of all requests in flight. Each file reserves its maximum size before it arrives.
   */
  readonly maxHeldBytes: number
  /** The limit of `maxHeldBytes` for the requests of one key. */
  readonly maxHeldBytesOfKey: number
  /** The limit of concurrent fetches for all requests. One key may use at most half of it. */
  readonly maxFetches: number
  /** The timeout from the request to the last byte, including redirects. It is also the longest wait for room. */
  readonly timeoutMs: number
  /** Whether addresses of this machine and of private networks are allowed. */
  readonly allowPrivate: boolean
}

const defaultMedia: MediaPolicy = {
  maxBytes: 20 * 1024 * 1024,
  maxTotalBytes: 32 * 1024 * 1024,
  maxCount: 20,
  maxHeldBytes: 256 * 1024 * 1024,
  maxHeldBytesOfKey: 128 * 1024 * 1024,
  maxFetches: 64,
  timeoutMs: 10_000,
  allowPrivate: false,
}

const fetchesError = 'must be a whole number of fetches from 1 to 10000'
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
    max_held_bytes: byteSizeSchema.optional(),
    max_held_bytes_per_key: byteSizeSchema.optional(),
    max_fetches: z
      .int({ error: fetchesError })
      .min(1, { error: fetchesError })
      .max(10_000, { error: fetchesError })
      .optional(),
    timeout: durationSchema.optional(),
    allow_private: z.boolean({ error: 'must be true or false' }).optional(),
  })
  .transform(
    (input): MediaPolicy => ({
      ...readRoom(input.max_held_bytes ?? defaultMedia.maxHeldBytes, input.max_held_bytes_per_key),
      maxFetches: input.max_fetches ?? defaultMedia.maxFetches,
      maxBytes: input.max_bytes ?? defaultMedia.maxBytes,
      maxTotalBytes: input.max_total_bytes ?? defaultMedia.maxTotalBytes,
      maxCount: input.max_count ?? defaultMedia.maxCount,
      timeoutMs: input.timeout ?? defaultMedia.timeoutMs,
      allowPrivate: input.allow_private ?? defaultMedia.allowPrivate,
    }),
  )

/**
 * Reads the limits of held bytes. A key gets half of the total unless the operator sets another limit, and never more
 * than the total.
 */
function readRoom(maxHeldBytes: number, ofKey: number | undefined) {
  return { maxHeldBytes, maxHeldBytesOfKey: Math.min(ofKey ?? Math.ceil(maxHeldBytes / 2), maxHeldBytes) }
}

/** The section `media`. */
export const mediaSchema = z.union([offSchema, limitsSchema], {
  error: 'must be off, or have limits, such as { max_bytes: 20MB, max_count: 20, timeout: 10s }',
})

/** Reads the policy. Undefined where nothing is fetched. */
export function readMediaPolicy(input: z.output<typeof mediaSchema> | undefined): MediaPolicy | undefined {
  if (input === 'off' || input === false) return undefined
  return input ?? defaultMedia
}
