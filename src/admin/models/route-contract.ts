// Where a request would go, as clients of the admin API see it. This file imports no code but schemas, so that a
// browser can import it.
import { z } from 'zod'
import { lossSchema } from '../requests/loss-contract.ts'

const formats = ['chat', 'messages', 'responses', 'gemini', 'completions', 'embeddings'] as const

export const explainRouteSchema = z.strictObject({
  model: z
    .string({ error: 'must be a public name' })
    .min(1, { error: 'must be a public name' })
    .max(256, { error: 'must be a public name' }),
  key: z
    .string({ error: 'must be the id or the name of a key' })
    .min(1, { error: 'must be the id or the name of a key' })
    .optional()
    .meta({ description: 'The key that asks; without one, every model may be used.' }),
  format: z
    .enum(formats, { error: `must be one of ${formats.join(', ')}` })
    .optional()
    .meta({ description: 'chat unless given.' }),
  stream: z.boolean({ error: 'must be true or false' }).optional(),
  body: z
    .record(z.string(), z.json())
    .optional()
    .meta({ description: 'The body of the request, without its model; a greeting unless given.' }),
})

const plannedSchema = z.object({
  channel: z.string(),
  upstream_model: z.string(),
  credential: z.string().optional(),
  public_name: z.string().meta({ description: 'The name that led here: the one asked for, or a fallback.' }),
})

export const explainedRouteSchema = z.object({
  model: z.string(),
  strategy: z.string().meta({ description: 'The order among targets of one priority.' }),
  candidates: z
    .array(
      plannedSchema.extend({
        probe: z
          .boolean()
          .meta({ description: 'Whether it is the one request of a half-open circuit breaker.' }),
        lane: z
          .string()
          .optional()
          .meta({ description: 'verbatim, translated, split (several calls), or here (no call at all).' }),
        calls: z.number().optional(),
        loss: z
          .string()
          .optional()
          .meta({ description: 'What translation could not carry; empty: nothing.' }),
        losses: z.array(lossSchema).optional().meta({ description: 'The first 100 of them as data.' }),
        error: z
          .object({
            code: z.string().meta({ description: 'A code of the error table.' }),
            message: z.string(),
            param: z.string().optional().meta({ description: 'The field of the request at fault.' }),
          })
          .optional()
          .meta({ description: 'Why the candidate cannot take this request.' }),
      }),
    )
    .meta({ description: 'What would be asked, in this order.' }),
  excluded: z
    .array(
      plannedSchema.extend({
        reason: z.string().meta({ description: 'Such as rate-limited, refused or full.' }),
        for_seconds: z.number().optional(),
      }),
    )
    .meta({ description: 'What would not be asked at this moment.' }),
})

export type ExplainedRoute = Readonly<z.output<typeof explainedRouteSchema>>
export type RouteFormat = (typeof formats)[number]
