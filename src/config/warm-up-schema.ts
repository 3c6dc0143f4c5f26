import { z } from 'zod'
import { offSchema } from '../kit/schema/off-schema.ts'

const explanation = 'must be on or off'

/** Whether a process makes itself warm before its first callers come. YAML 1.1 readers take the words for booleans. */
export const warmUpSchema = z.union([z.literal('on'), z.literal(true), offSchema], { error: explanation })

/** Reads the setting, or the text of a variable; undefined where it has no meaning. */
export function readWarmUp(given: unknown): boolean | undefined {
  const { data } = warmUpSchema.safeParse(given)
  return data === undefined ? undefined : data === 'on' || data === true
}

export const WARM_UP_EXPLANATION = explanation
