import { z } from 'zod'
import { byteSizeSchema } from '../kit/bytes/byte-size-schema.ts'
import { offSchema } from '../kit/schema/off-schema.ts'
import { createDurationSchema } from '../kit/time/duration-schema.ts'
import { DAY_MS, MINUTE_MS } from '../kit/time/time-units.ts'

/**
 * The limits of the responses that the Responses API stores for its callers. The limit that is reached first applies.
 */
export interface StoredResponsesPolicy {
  readonly keepMs: number
  readonly maxBytes: number
}

const MIN_BYTES = 1024 ** 2

/** OpenAI stores responses for the same time (https://platform.openai.com/docs/guides/your-data, seen 2026-11-20). */
const defaultPolicy: StoredResponsesPolicy = { keepMs: 30 * DAY_MS, maxBytes: 1024 ** 3 }

/** The section `stored_responses`. */
export const storedResponsesSchema = z
  .union(
    [
      offSchema,
      z.strictObject({
        keep: createDurationSchema({
          minMs: MINUTE_MS,
          maxMs: 3_650 * DAY_MS,
          range: '1m and 3650d',
        }).optional(),
        max_bytes: byteSizeSchema
          .refine((bytes) => bytes >= MIN_BYTES, {
            error: 'must be 1MB or more; or set stored_responses: off',
          })
          .optional(),
      }),
    ],
    { error: 'must be off, or say what is stored, such as { keep: 30d, max_bytes: 1GB }' },
  )
  .transform((input): StoredResponsesPolicy | 'off' => {
    if (input === 'off' || input === false) return 'off'
    return {
      keepMs: input.keep ?? defaultPolicy.keepMs,
      maxBytes: input.max_bytes ?? defaultPolicy.maxBytes,
    }
  })

/** Undefined where the content of responses is not stored. */
export function readStoredResponses(
  input: z.output<typeof storedResponsesSchema> | undefined,
): StoredResponsesPolicy | undefined {
  return input === 'off' ? undefined : (input ?? defaultPolicy)
}
