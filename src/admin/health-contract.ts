// The health of channels as clients of the admin API see it. This file imports no code but zod, so that a browser can
// import it.
import { z } from 'zod'
import { listFaultSchema } from './models/list-fault-contract.ts'

const healthLineSchema = z.object({
  channel: z.string(),
  scope: z.enum(['channel', 'credential', 'model']).meta({
    description: 'The subject: the whole channel, one of its credentials, or one model with one credential.',
  }),
  credential: z
    .string()
    .nullable()
    .meta({ description: "The channel's name and the number of the credential in it, such as openai#1." }),
  upstream_model: z.string().nullable(),
  state: z.enum(['healthy', 'degraded', 'open', 'half-open']).meta({
    description:
      'The circuit breaker. healthy: closed; degraded: used only when nothing else is left; open: out of rotation; half-open: one probe request decides.',
  }),
  reason: z
    .string()
    .nullable()
    .meta({ description: 'Why it is not healthy, such as rate-limited or refused.' }),
  operations: z.array(z.string()).nullable().meta({
    description: 'The operations that the reason concerns, such as embedding; null if it concerns all.',
  }),
  since: z.iso.datetime().nullable().meta({ description: 'Since when; null if it never changed.' }),
  for_ms: z.number().nullable().meta({ description: 'For how long; null if it never changed.' }),
  wait_ms: z.number().meta({ description: 'How long it stays out of rotation.' }),
  calls: z.number().meta({ description: 'In the last window.' }),
  failures: z.number(),
  last_failure: z.string().nullable().meta({ description: 'The code of the last failure.' }),
  needs_operator: z.boolean().meta({
    description: 'Whether it stays unhealthy until an operator acts, such as with a key that is refused.',
  }),
})

const modelLoadSchema = z.object({
  upstream_model: z.string(),
  calls_in_flight: z.number(),
  stream_ms: z.number().nullable().meta({
    description: 'Time to first content of recent streams, a moving average; null if none was measured.',
  }),
  whole_ms: z
    .number()
    .nullable()
    .meta({ description: 'Duration of recent whole answers, a moving average; null if none was measured.' }),
})

/** A list has the faults of lists, an answer of one token a code of the error table. */
const checkFaultSchema = z.union([
  listFaultSchema,
  z.object({ code: z.literal('failed'), values: z.object({ error: z.string() }) }),
])

const checkSchema = z.object({
  credential: z.string().nullable(),
  asked: z
    .enum(['list', 'one-token'])
    .meta({ description: 'The list of models, or an answer of one token.' }),
  upstream_model: z.string().nullable(),
  outcome: z.enum(['passed', 'failed']),
  cause: z.string().nullable(),
  fact: checkFaultSchema.nullable().meta({ description: 'The cause as data; null where it has none.' }),
  at: z.iso.datetime(),
})

const channelLoadSchema = z.object({
  name: z.string(),
  calls_in_flight: z.number(),
  concurrency: z
    .number()
    .nullable()
    .meta({ description: 'Maximum number of concurrent calls; null if there is no limit.' }),
  models_list: z
    .object({ known: z.boolean(), error: z.string().nullable(), fact: listFaultSchema.nullable() })
    .nullable()
    .meta({
      description:
        "Whether the provider's list of models was read, and why the last try failed, also as data; null where the configuration names the models.",
    }),
  checks: z.array(checkSchema).nullable().meta({
    description: 'The last check of each credential that was not healthy; null if health_check is off.',
  }),
  models: z.array(modelLoadSchema).meta({ description: 'Models used since the start.' }),
})

export const resetHealthSchema = z.strictObject({
  channel: z.string({ error: 'must be the name of a channel' }).min(1, {
    error: 'must be the name of a channel',
  }),
})

export const healthViewSchema = z.object({
  status: z
    .enum(['healthy', 'degraded'])
    .meta({ description: 'degraded: at least one line is not healthy.' }),
  queue: z
    .object({ waiting: z.number(), size: z.number() })
    .nullable()
    .meta({ description: 'Requests that wait for a target; null if the queue is off.' }),
  channels: z.array(channelLoadSchema).meta({ description: 'Every channel in use.' }),
  data: z.array(healthLineSchema).meta({ description: 'What was used since the start, channel by channel.' }),
})

export type CheckFaultView = Readonly<z.output<typeof checkFaultSchema>>
export type HealthView = Readonly<z.output<typeof healthViewSchema>>
