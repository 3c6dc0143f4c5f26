import { z } from 'zod'
import { byteSizeSchema } from '../kit/bytes/byte-size-schema.ts'
import { offSchema } from '../kit/schema/off-schema.ts'
import { createDurationSchema } from '../kit/time/duration-schema.ts'
import { HOUR_MS, MINUTE_MS } from '../kit/time/time-units.ts'

/**
 * The limits of the answers that are stored for repeated requests, by time and bytes. The limit that is reached first
 * applies.
 */
export interface IdempotencyPolicy {
  readonly keepMs: number
  readonly maxBytes: number
}

const MIN_BYTES = 1024 ** 2
const defaultPolicy: IdempotencyPolicy = { keepMs: 24 * HOUR_MS, maxBytes: 256 * 1024 ** 2 }

/** The section `idempotency`. */
export const idempotencySchema = z.union(
  [
    offSchema,
    z
      .strictObject({
        keep: createDurationSchema({
          minMs: MINUTE_MS,
          maxMs: 30 * 24 * HOUR_MS,
          range: '1m and 30d',
        }).optional(),
        max_bytes: byteSizeSchema
          .refine((bytes) => bytes >= MIN_BYTES, { error: 'must be 1MB or more; or set idempotency: off' })
          .optional(),
      })
      .transform(
        (input): IdempotencyPolicy => ({
          keepMs: input.keep ?? defaultPolicy.keepMs,
          maxBytes: input.max_bytes ?? defaultPolicy.maxBytes,
        }),
      ),
  ],
  { error: 'must be off, or say what is stored, such as { keep: 24h, max_bytes: 256MB }' },
)

/** Undefined where `idempotency-key` has no effect. */
export function readIdempotency(
  input: z.output<typeof idempotencySchema> | undefined,
): IdempotencyPolicy | undefined {
  if (input === 'off' || input === false) return undefined
  return input ?? defaultPolicy
}
