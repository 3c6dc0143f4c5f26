import { z } from 'zod'
import { withFormat } from '../kit/schema/input-fact.ts'
import {
  DOT_NAME_EXPLANATION,
  isDotName,
  isReservedName,
  RESERVED_NAME_EXPLANATION,
} from '../kit/schema/is-reserved-name.ts'

const explanation = withFormat('must be the name of a model: 1 to 256 printable characters', 'model_name')

/** The name of a model, as callers or an upstream write it. */
export const publicNameSchema = z
  .string({ error: explanation })
  .regex(/^[^\p{C}\p{Z}](?:[^\p{C}]{0,254}[^\p{C}\p{Z}])?$/u, { error: explanation })
  .refine((name) => !isReservedName(name), { error: RESERVED_NAME_EXPLANATION })
  .refine((name) => !isDotName(name), { error: DOT_NAME_EXPLANATION })
