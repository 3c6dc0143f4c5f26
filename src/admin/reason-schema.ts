import { z } from 'zod'
import { withFormat } from '../kit/schema/input-fact.ts'

const explanation = withFormat('must be a text of 1 to 500 characters on one line', 'one_line')

/** The reason that an operator gives for a change of money, for the audit. */
export const reasonSchema = z
  .string({ error: explanation })
  .trim()
  .min(1, { error: explanation })
  .max(500, { error: explanation })
  .regex(/^[^\p{C}]*$/u, { error: explanation })
