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
  since: z.iso.datetime().nullable().meta({ description: 'When that began; null where it never changed.' }),
  for_ms: z
    .number()
    .nullable()
    .meta({ description: 'How long it has been so; null where it never changed.' }),
  wait_ms: z.number().meta({ description: 'How long it is left alone yet.' }),
  calls: z.number().meta({ description: 'In the last window.' }),
  failures: z.number(),
  last_failure: z.string().nullable().meta({ description: 'The code of the last failure.' }),
})

const modelLoadSchema = z.object({
  upstream_model: z.string(),
  calls_under_way: z.number(),
  stream_ms: z.number().nullable().meta({
    description: 'How soon streams lately began, a moving average; null where none was measured.',
  }),
  whole_ms: z.number().nullable().meta({ description: 'How soon whole answers lately ended.' }),
})

const checkSchema = z.object({
  credential: z.string().nullable(),
  asked: z
    .enum(['list', 'one-token'])
    .meta({ description: 'The list of models, or an answer of one token.' }),
  upstream_model: z.string().nullable(),
  outcome: z.enum(['passed', 'failed']),
  cause: z.string().nullable(),
  at: z.iso.datetime(),
})

export const channelLoadSchema = z.object({
  name: z.string(),
  calls_under_way: z.number(),
  places: z
    .number()
    .nullable()
    .meta({ description: 'Calls that may be under way at one time; null where there is no limit.' }),
  checks: z.array(checkSchema).nullable().meta({
    description: 'The last check of each key that was not well; null where health_check is off.',
  }),
  models: z.array(modelLoadSchema).meta({ description: 'Those that were asked since the start.' }),
})

export const resetHealthSchema = z.strictObject({
  channel: z.string({ error: 'must be the name of a channel' }).min(1, {
    error: 'must be the name of a channel',
  }),
})

export const healthViewSchema = z.object({
  status: z.enum(['well', 'impaired']).meta({ description: 'impaired: at least one line is not well.' }),
  queue: z
    .object({ waiting: z.number(), places: z.number() })
    .nullable()
    .meta({ description: 'Requests that wait for a target; null where none may.' }),
  channels: z.array(channelLoadSchema).meta({ description: 'Every channel that is served.' }),
  data: z
    .array(healthLineSchema)
    .meta({ description: 'What was asked since the start, channel by channel.' }),
})

export type HealthView = Readonly<z.output<typeof healthViewSchema>>
