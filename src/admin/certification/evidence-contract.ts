// The calls of a check as data, as clients of the admin API see them. This file imports no code but zod, so that a
// browser can import it.
import { z } from 'zod'

const plainReceived = ['not_sent', 'cancelled'] as const

export const sentFactSchema = z.object({
  type: z.enum(['conversation', 'token_count', 'embeddings']),
  texts: z.array(z.string()).meta({ description: 'The last turn in short, or the texts to embed.' }),
  turn: z.number().meta({ description: 'The number of the last turn.' }),
  tool_results: z.number().meta({ description: 'How many results of tools the last turn has.' }),
  tools: z.number().meta({ description: 'How many tools are offered.' }),
  options: z.array(z.enum(['streamed', 'json_schema', 'reasoning'])),
})

export const receivedFactSchema = z.object({
  answer: z.discriminatedUnion('type', [
    z.object({ type: z.enum(plainReceived) }),
    z.object({
      type: z.literal('failed'),
      status: z.number().nullable(),
      error: z.string().meta({ description: 'A code of the error table.' }),
      message: z.string(),
    }),
    z.object({ type: z.literal('count'), tokens: z.number() }),
    z.object({ type: z.literal('vectors'), count: z.number(), numbers: z.number() }),
    z.object({ type: z.literal('reply'), text: z.string(), stop_reason: z.string().nullable() }),
  ]),
  usage: z
    .object({ output_tokens: z.number().nullable().meta({ description: 'Null: the answer had no usage.' }) })
    .nullable(),
})

export type SentFact = Readonly<z.output<typeof sentFactSchema>>
export type ReceivedFact = Readonly<z.output<typeof receivedFactSchema>>
