// Problems of input as clients of the admin API see them. This file imports no code but schemas, so that a browser can
// import it.
import { z } from 'zod'

const valueSchema = z.union([z.string(), z.number(), z.array(z.string())])

/** The fact of a problem. For codes that a client does not know, the problem also has a sentence. */
export const problemFactSchema = z.object({
  code: z
    .string()
    .meta({ description: 'Such as required, too_small or unknown_name; docs/admin-api.md lists them.' }),
  values: z.record(z.string(), valueSchema).meta({ description: 'Such as the bound, by name.' }),
})

export type ProblemFact = Readonly<z.output<typeof problemFactSchema>>
