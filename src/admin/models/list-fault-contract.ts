// Why a list of models could not be read, as clients of the admin API see it. This file imports no code but schemas, so
// that a browser can import it.
import { z } from 'zod'
import { noAnswers } from '../../kit/net/no-answer.ts'

export const listFaultSchema = z.discriminatedUnion('code', [
  z.object({ code: z.literal('no_answer'), values: z.object({ cause: z.enum(noAnswers) }) }),
  z.object({ code: z.literal('answered_status'), values: z.object({ status: z.number() }) }),
  z.object({
    code: z.enum(['no_credential', 'too_long', 'too_complex', 'not_json', 'not_a_list']),
    values: z.object({}),
  }),
])
