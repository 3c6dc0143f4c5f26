import { z } from 'zod'
import { problemFactSchema } from './problem-contract.ts'

/** Errors of the admin API, in the chat format. */
export const adminErrorSchema = z.object({
  error: z.object({
    message: z.string(),
    type: z.string(),
    param: z.string().nullable(),
    code: z.string().nullable(),
    problems: z
      .array(z.object({ path: z.string(), message: z.string(), fact: problemFactSchema.optional() }))
      .optional()
      .meta({ description: 'Everything that is wrong with the input or the configuration.' }),
  }),
})
