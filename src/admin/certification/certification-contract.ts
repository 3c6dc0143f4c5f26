// Certifications as clients of the admin API see them. This file imports no code but schemas, so that a browser can
// import it.
import { z } from 'zod'
import { authorFactField } from '../audit/actor-contract.ts'
import { wholeNumberField, wordField } from '../query-fields.ts'
import { receivedFactSchema, sentFactSchema } from './evidence-contract.ts'

/** The checks, in the order in which they are shown. */
export const checkNames = [
  'chat',
  'stream',
  'tools',
  'parallel_tools',
  'images',
  'documents',
  'json_schema',
  'reasoning',
  'prompt_cache',
  'embeddings',
  'token_counts',
  'usage',
  'first_token',
] as const

export type CheckName = (typeof checkNames)[number]

/**
 * `works` and `does_not_work` are observed. `not_offered`: the channel's format has no field or no endpoint for it.
 * `not_tried`: nothing was observed.
 */
export const outcomes = ['works', 'does_not_work', 'not_offered', 'not_tried'] as const

export type Outcome = (typeof outcomes)[number]

/** The findings as words for programs; `describeFinding` and the console say them in sentences. */
export const findingCodes = [
  'word_repeated',
  'word_missing',
  'no_text',
  'streamed',
  'few_events',
  'buffered',
  'result_used',
  'result_ignored',
  'no_call',
  'other_tool',
  'bad_arguments',
  'calls_together',
  'one_call',
  'image_seen',
  'image_not_seen',
  'document_read',
  'document_not_read',
  'fits_schema',
  'not_json',
  'other_shape',
  'reasoning_accepted',
  'plain_reasoning_accepted',
  'reasoning_refused',
  'reasoning_hidden',
  'no_reasoning',
  'cache_read',
  'cache_not_read',
  'no_usage',
  'vectors_given',
  'vectors_broken',
  'vectors_alike',
  'no_embeddings',
  'count_fits',
  'count_differs',
  'usage_fits',
  'input_far',
  'output_far',
  'stream_differs',
  'first_token',
  'no_endpoint',
  'no_field',
  'other_answer',
  'refused',
  'unanswered',
  'needs_chat',
  'over_cost',
  'cancelled',
  'interrupted',
] as const

export type FindingCode = (typeof findingCodes)[number]

const exchangeSchema = z.object({
  request_id: z.string().nullable().meta({ description: 'In the request log; null where nothing was sent.' }),
  sent: z.string().meta({ description: 'What was sent, in short.' }),
  received: z.string().meta({ description: 'What came back, in short, without secrets.' }),
  sent_fact: sentFactSchema.nullable().meta({ description: 'As data; null where an earlier version asked.' }),
  received_fact: receivedFactSchema.nullable().meta({ description: 'The same of what came back.' }),
})

export const checkResultSchema = z.object({
  check: z.enum(checkNames),
  outcome: z.enum(outcomes),
  finding: z.enum(findingCodes),
  message: z.string().meta({ description: 'The finding as a sentence.' }),
  details: z
    .record(z.string(), z.union([z.string(), z.number()]))
    .meta({ description: 'The numbers and words that the finding mentions.' }),
  evidence: z.array(exchangeSchema),
  duration_ms: z.number(),
})

const certificationStates = ['queued', 'running', 'done', 'cancelled', 'interrupted'] as const

export const certificationSchema = z.object({
  id: z.string(),
  channel: z.string(),
  model: z.string().meta({ description: 'The public name.' }),
  upstream_model: z.string(),
  state: z
    .enum(certificationStates)
    .meta({ description: 'interrupted: the process ended before the certification did.' }),
  author: z.string(),
  author_fact: authorFactField,
  started_at: z.iso.datetime(),
  ended_at: z.iso.datetime().nullable(),
  checks: z.array(z.enum(checkNames)).meta({ description: 'Those that were asked for.' }),
  results: z.array(checkResultSchema).meta({ description: 'Those that are known so far.' }),
  estimated_cost_usd: z
    .number()
    .nullable()
    .meta({ description: 'The most that it can cost; null where the model has no price.' }),
  cost_usd: z.number().nullable().meta({ description: 'What providers ask so far; null without a price.' }),
})

export const certificationListSchema = z.object({
  data: z.array(certificationSchema),
  next_before: z
    .string()
    .nullable()
    .meta({ description: 'The before of the next page; null on the last page.' }),
})

/** The most models that one request certifies. */
export const MAX_CERTIFIED_MODELS = 50

export const certifySchema = z.strictObject({
  model: z
    .string()
    .min(1)
    .max(256)
    .meta({ description: 'A public name that the channel serves; without it all of its models.' })
    .optional(),
  checks: z
    .array(z.enum(checkNames, { error: `must be one of ${checkNames.join(', ')}` }))
    .min(1)
    .max(checkNames.length)
    .meta({
      description:
        'All unless given. Where chat is among them and does not work, no other but embeddings is tried.',
    })
    .optional(),
  max_cost_usd: z
    .number({ error: 'must be a number of dollars' })
    .nonnegative()
    .max(1_000)
    .meta({ description: 'For each model: a check that could exceed it is not tried.' })
    .optional(),
})

export const planCertificationSchema = certifySchema.pick({ model: true }).extend({
  checks: z
    .string()
    .max(500)
    .meta({ description: 'Names of checks, with commas between them; all unless given.' })
    .optional(),
})

export const certificationPlanSchema = z.object({
  models: z.array(
    z.object({
      model: z.string(),
      upstream_model: z.string(),
      requests: z.number().meta({ description: 'At most.' }),
      estimated_cost_usd: z.number().nullable(),
    }),
  ),
  requests: z.number(),
  estimated_cost_usd: z
    .number()
    .nullable()
    .meta({ description: 'The most that all can cost; null where a model has no price.' }),
})

export const listCertificationsSchema = z.strictObject({
  channel: wordField.optional(),
  model: wordField.meta({ description: 'The public name.' }).optional(),
  newest: z
    .enum(['true', 'false'])
    .meta({ description: 'true: of each channel and model the newest alone.' })
    .optional(),
  before: wordField.meta({ description: 'The next_before of the page before.' }).optional(),
  limit: wholeNumberField(1, 200).meta({ description: 'Default 50, at most 200.' }).optional(),
})

export type CertificationView = Readonly<z.output<typeof certificationSchema>>
export type CheckResultView = Readonly<z.output<typeof checkResultSchema>>
export type CertificationList = Readonly<z.output<typeof certificationListSchema>>
export type CertificationPlan = Readonly<z.output<typeof certificationPlanSchema>>
/** A request for certifications, checked. */
export interface CertifyInput {
  readonly model?: string | undefined
  readonly checks?: readonly CheckName[] | undefined
  readonly max_cost_usd?: number | undefined
}
export type ListCertifications = Readonly<z.output<typeof listCertificationsSchema>>
