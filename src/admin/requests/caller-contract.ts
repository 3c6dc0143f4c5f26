// The programs that call as clients of the admin API see them. This file imports no code but schemas, so that a browser
// can import it.
import { z } from 'zod'
import { wordField } from '../query-fields.ts'

export const listCallersSchema = z.strictObject({
  key: wordField.meta({ description: "A key's id or name." }).optional(),
  user: wordField.optional(),
  group: wordField.optional(),
  model: wordField.meta({ description: 'The public name.' }).optional(),
  channel: wordField.optional(),
})

const callerViewSchema = z.object({
  address: z.string(),
  client: z
    .string()
    .nullable()
    .meta({ description: 'The first words of its user agent, such as OpenAI/JS 7.55.0.' }),
  user: z.string().nullable().meta({ description: 'Of the key.' }),
  requests: z.number().meta({ description: 'Of those that were looked at.' }),
  last_at: z.iso.datetime(),
  models: z.array(z.string()).meta({ description: 'The one that was asked last comes first.' }),
})

export const callerListSchema = z.object({
  data: z.array(callerViewSchema).meta({ description: 'The one that called last comes first.' }),
  looked_at: z.number().meta({ description: 'The number of requests that were looked at, at most 500.' }),
  since: z.iso.datetime().nullable().meta({ description: 'The end of the oldest of them.' }),
})

export type CallerListView = Readonly<z.output<typeof callerListSchema>>
export type CallerView = CallerListView['data'][number]
export type ListCallers = Readonly<z.input<typeof listCallersSchema>>
