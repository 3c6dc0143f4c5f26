// What clients see of the health of channels in the admin API. Imports no code but zod, so that a browser can.
import { z } from 'zod'

export const healthLineSchema = z.object({
  channel: z.string(),
  scope: z.enum(['channel', 'credential', 'model']).meta({
    description: 'What the line is about: the whole channel, one key of it, or one model by one key.',
  }),
  credential: z.string().nullable().meta({ description: "The channel's name and the key's place in it." }),
  upstream_model: z.string().nullable(),
  state: z.enum(['well', 'degraded', 'shut', 'probing']).meta({
    description:
      'degraded: asked only when nothing else is left; shut: left alone; probing: one request may prove it well.',
  }),
  reason: z.string().nullable().meta({ description: 'Why it is not well, such as rate-limited or refused.' }),
  for_ms: z
    .number()
    .nullable()
    .meta({ description: 'How long it has been so; null where it never changed.' }),
  wait_ms: z.number().meta({ description: 'How long it is left alone yet.' }),
  calls: z.number().meta({ description: 'In the last window.' }),
  failures: z.number(),
  last_failure: z.string().nullable().meta({ description: 'The code of the last failure.' }),
})

export const healthViewSchema = z.object({
  status: z.enum(['well', 'impaired']).meta({ description: 'impaired: at least one line is not well.' }),
  data: z
    .array(healthLineSchema)
    .meta({ description: 'What was asked since the start, channel by channel.' }),
})

export type HealthView = Readonly<z.output<typeof healthViewSchema>>
