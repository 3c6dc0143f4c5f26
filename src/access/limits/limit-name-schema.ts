import { z } from 'zod'
import { withFormat } from '../../kit/schema/input-fact.ts'

const explanation = withFormat(
  'must be 1 to 64 letters, digits or ". _ -", such as "month" or "team-search"',
  'budget_name',
)

/**
 * The name of a budget. It cannot contain a slash or a colon, as these separate it from the name of its key or group.
 */
export const limitNameSchema = z.string({ error: explanation }).regex(/^[\p{L}\p{N}._-]{1,64}$/u, {
  error: explanation,
})
