import { z } from 'zod'
import { withFormat } from '../../kit/schema/input-fact.ts'

const explanation = withFormat(
  'must be 1 to 64 letters, digits or ". _ -", such as "month" or "team-search"',
  'budget_name',
)

/** The name of a budget: a slash and a colon stand between it and the name of the key or group that it belongs to. */
export const limitNameSchema = z.string({ error: explanation }).regex(/^[\p{L}\p{N}._-]{1,64}$/u, {
  error: explanation,
})
