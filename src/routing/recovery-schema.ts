import { z } from 'zod'
import { offSchema } from '../kit/schema/off-schema.ts'

export interface RecoveryPolicy {
  /**
   * The behaviour when a stream dies after content was sent. `off`: an error event. `verified`: the next target is
   * asked the same, and if it says again exactly what was sent, the rest follows; otherwise an error event.
   */
  readonly midStream: 'off' | 'verified'
}

/** The section `recovery`. */
export const recoverySchema = z
  .strictObject({
    mid_stream: z.union([offSchema, z.literal('verified')], { error: 'must be off or verified' }).optional(),
  })
  .transform((input): RecoveryPolicy => ({ midStream: input.mid_stream === 'verified' ? 'verified' : 'off' }))
