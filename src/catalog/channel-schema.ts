import { z } from 'zod'
import { withFact, withFormat } from '../kit/schema/input-fact.ts'
import { offSchema } from '../kit/schema/off-schema.ts'
import { durationSchema } from '../kit/time/duration-schema.ts'
import { type Breaker, defaultBreaker, type HealthCheck } from './channel.ts'
import { passthroughRulesSchema } from './passthrough-schema.ts'
import { priceSchema } from './prices/price-schema.ts'
import { publicNameSchema } from './public-name-schema.ts'

const MIN_INTERVAL_MS = 1_000
const DEFAULT_INTERVAL_MS = 30_000

const tooOften = withFact('must be at least 1s', { code: 'below_minimum', values: { minimum: '1s' } })

const policySchema = z
  .strictObject({
    every: durationSchema.refine((ms) => ms >= MIN_INTERVAL_MS, { error: tooOften }).optional(),
    one_token: z.boolean({ error: 'must be true or false' }).optional(),
  })
  .transform(
    (input): HealthCheck => ({
      everyMs: input.every ?? DEFAULT_INTERVAL_MS,
      mayGenerate: input.one_token ?? false,
    }),
  )

/** The schema of a channel's `health_check`. */
const healthCheckSchema = z.union([offSchema, policySchema], {
  error: 'must be off, or say how often, such as { every: 30s }',
})

const countError = 'must be a whole number of failures from 1 to 1000'

const limitsSchema = z
  .strictObject({
    failures: z
      .int({ error: countError })
      .min(1, { error: countError })
      .max(1_000, { error: countError })
      .optional(),
    window: durationSchema.optional(),
  })
  .transform(
    (input): Breaker => ({
      failures: input.failures ?? defaultBreaker.failures,
      windowMs: input.window ?? defaultBreaker.windowMs,
    }),
  )

/** The schema of a channel's `breaker`. */
const breakerSchema = z.union([offSchema, limitsSchema], {
  error: 'must be off, or have limits, such as { failures: 5, window: 10s }',
})

// The name is sent in a response header and is the first part of a target, so it has no slash.
const channelNameSchema = z.string({ error: 'must be a name' }).regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/, {
  error: withFormat(
    'must be 1 to 64 letters, digits or ". _ : -", with no slash, and begin with a letter or a digit',
    'channel_name',
  ),
})

const secretSchema = z.string({ error: 'must be a text; put it in quotes' }).regex(/^[\x21-\x7e]+$/, {
  error: withFormat('must be printable characters without spaces, and not empty', 'key'),
})

const headersSchema = z.record(
  z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, {
    error: withFormat('is not the name of a header', 'header_name'),
  }),
  z.string({ error: 'must be a text; put it in quotes' }).regex(/^[\x20-\x7e]*$/, {
    error: withFormat('must be printable characters on one line', 'header_value'),
  }),
  { error: 'must be a map of header names to values' },
)

const NO_MODELS = 'must name a model, or be "*" for all that the upstream lists'

const modelsSchema = z.union(
  [
    z.literal('*'),
    z.array(publicNameSchema).min(1, { error: NO_MODELS }),
    z.record(publicNameSchema, publicNameSchema),
  ],
  {
    error:
      'must be "*" (all that the upstream lists), a list of names, or a map of public names to upstream names',
  },
)

/** One entry of `channels`, before it is joined with its provider's declarations. */
export const channelSchema = z.strictObject({
  name: channelNameSchema,
  provider: z.string({ error: 'must be the id of a provider, such as openai' }),
  base_url: z.string({ error: 'must be an http or https address' }).optional(),
  format: z.string({ error: 'must be the name of a format, such as chat, messages or responses' }).optional(),
  api_key: secretSchema.optional(),
  api_keys: z
    .array(secretSchema, { error: 'must be a list of keys' })
    .min(1, { error: 'must have a key' })
    .optional(),
  credentials: z
    .record(z.string(), z.string({ error: 'must be a text; put it in quotes' }), {
      error: 'must be a map of names to texts',
    })
    .optional(),
  models: modelsSchema.optional(),
  prices: z
    .record(publicNameSchema, priceSchema, {
      error: 'must be a map of model names to prices, such as { gpt-4o: { input: 2.5, output: 10 } }',
    })
    .optional(),
  priority: z.number({ error: 'must be a number; higher goes first' }).optional(),
  weight: z.number({ error: 'must be a number' }).positive({ error: 'must be above 0' }).optional(),
  headers: headersSchema.optional(),
  timeouts: z
    .strictObject({
      connect: durationSchema.optional(),
      tls: durationSchema.optional(),
      headers: durationSchema.optional(),
      first_content: durationSchema.optional(),
      idle: durationSchema.optional(),
      progress: durationSchema.optional(),
      total: durationSchema.optional(),
    })
    .optional(),
  breaker: breakerSchema.optional(),
  health_check: healthCheckSchema.optional(),
  concurrency: z
    .int({ error: 'must be a whole number of calls' })
    .positive({ error: 'must be above 0' })
    .optional(),
  disabled: z.boolean({ error: 'must be true or false' }).optional(),
  allow_private: z.boolean({ error: 'must be true or false' }).optional(),
  proxy: z.string({ error: 'must be the address of a proxy, such as "http://proxy:3128"' }).optional(),
  ca_file: z
    .string({ error: 'must be the path of a file' })
    .min(1, { error: 'must be the path of a file' })
    .optional(),
  passthrough: passthroughRulesSchema.optional(),
  allow_fields: z
    .array(z.string({ error: 'must be the name of a field, such as logit_bias' }), {
      error: 'must be a list of field names',
    })
    .optional(),
})

export type ChannelInput = z.output<typeof channelSchema>
