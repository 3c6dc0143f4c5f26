import { z } from 'zod'
import { offSchema } from '../kit/schema/off-schema.ts'

export interface RecoveryPolicy {
  /**
   * The behavior when a stream breaks off after content was sent. With `off`, the caller gets an error event. With
   * `verified`, the next target gets the same request. If it repeats exactly what was sent, the rest follows; otherwise
   * the caller gets an error event.
   */
  readonly midStream: 'off' | 'verified'
}

/** The schema of the section `recovery`. */
export const recoverySchema = z
  .strictObject({
    mid_stream: z.union([offSchema, z.literal('verified')], { error: 'must be off or verified' }).optional(),
  })
  .transform((input): RecoveryPolicy => ({ midStream: input.mid_stream === 'verified' ? 'verified' : 'off' }))
