import { z } from 'zod'
import { createDurationSchema } from '../kit/time/duration-schema.ts'
import { DAY_MS, MINUTE_MS } from '../kit/time/time-units.ts'

/** The limits of the stored request log: age and number of rows. The limit that is reached first applies. */
export interface RequestLogPolicy {
  readonly keepMs: number
  readonly maxRows: number
}

const maxRowsError = 'must be a whole number from 1 to 1000000000'

/** The section `request_log`. */
export const requestLogSchema = z
  .union(
    [
      z.literal('off'),
      z.literal(false),
      z.strictObject({
        keep: createDurationSchema({
          minMs: MINUTE_MS,
          maxMs: 3_650 * DAY_MS,
          range: '1m and 3650d',
        }).optional(),
        max_rows: z
          .int({ error: maxRowsError })
          .min(1, { error: maxRowsError })
          .max(1_000_000_000, { error: maxRowsError })
          .optional(),
      }),
    ],
    { error: 'must be off, or say what is kept, such as { keep: 30d, max_rows: 10000000 }' },
  )
  .transform((input): RequestLogPolicy | 'off' => {
    if (input === 'off' || input === false) return 'off'
    return { keepMs: input.keep ?? 30 * DAY_MS, maxRows: input.max_rows ?? 10_000_000 }
  })
