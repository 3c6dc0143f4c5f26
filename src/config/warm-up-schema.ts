import { z } from 'zod'
import { offSchema } from '../kit/schema/off-schema.ts'

const explanation = 'must be on or off'

/** Whether a process warms up before its first callers arrive. YAML 1.1 readers give booleans for these words. */
export const warmUpSchema = z.union([z.literal('on'), z.literal(true), offSchema], { error: explanation })

/** Reads the setting, or the text of a variable. Undefined where the value is invalid. */
export function readWarmUp(given: unknown): boolean | undefined {
  const { data } = warmUpSchema.safeParse(given)
  return data === undefined ? undefined : data === 'on' || data === true
}

export const WARM_UP_EXPLANATION = explanation
