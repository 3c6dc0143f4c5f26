// The stored request log as clients of the admin API see it. This file imports no code but schemas, so that a browser
// can import it.
import { z } from 'zod'
import type { OwnedBy } from '../../canonical/owned-by.ts'
import { momentField, wholeNumberField, wordField } from '../query-fields.ts'
import { usageSchema } from '../usage-fields.ts'
import { causeFactSchema } from './cause-contract.ts'
import { lossSchema } from './loss-contract.ts'

const time = z.iso.datetime()
const text = z.string().nullable()
const count = z.number().nullable()

const requestSummarySchema = z.object({
  id: z
    .number()
    .meta({ description: 'Increases with the end of requests; the value for `before` and `after`.' }),
  request_id: z.string(),
  started_at: time,
  ended_at: time,
  total_ms: z.number(),
  first_content_ms: count,
  key_id: text,
  key: text,
  user: text.meta({ description: 'Of the key then; null in rows of earlier versions.' }),
  group: text,
  format: text,
  model: text,
  channel: text.meta({ description: 'Which answered; where none did, which was called last.' }),
  upstream_model: text,
  status: z.number(),
  error: text.meta({ description: 'A code of the error table.' }),
  stream: z.boolean(),
  input_tokens: count,
  output_tokens: count,
  cache_read_tokens: count.meta({ description: 'Part of the input.' }),
  cache_write_tokens: count.meta({ description: 'Part of the input.' }),
  reasoning_tokens: count.meta({ description: 'Part of the output.' }),
  cost_usd: count.meta({
    description:
      'What providers ask for all attempts, in US dollars; null where nothing was billed that has a price.',
  }),
  charged_usd: count.meta({ description: 'What the caller is charged.' }),
  captured: z.boolean().meta({ description: 'Whether its prompt or answer is stored for reading.' }),
})

const causeFact = causeFactSchema
  .nullable()
  .meta({ description: 'The cause as data; null for the words of a provider or of the system.' })

const candidateSchema = z.object({
  channel: z.string(),
  upstream_model: z.string(),
  credential: text,
  excluded: text.meta({ description: 'Why it was excluded; null if it was not.' }),
})

const attemptSchema = z.object({
  channel: z.string(),
  upstream_model: z.string(),
  credential: text,
  lane: z.string(),
  outcome: z.string().meta({ description: '`answered`, `caller-gone`, or the code of the failure.' }),
  upstream_status: count,
  cause: text,
  cause_fact: causeFact,
  wait_ms: z.number().meta({ description: 'Before it: a back-off, or files that were fetched.' }),
  usage: usageSchema.nullable().meta({ description: 'What it used, where that is known.' }),
  cost_usd: count,
  charged_usd: count,
  head_ms: count,
  first_content_ms: count,
  total_ms: z.number(),
})

export const requestDetailSchema = requestSummarySchema.extend({
  method: z.string(),
  path: z.string(),
  address: z.string(),
  client: text.meta({ description: 'The first words of the user agent, such as OpenAI/JS 7.55.0.' }),
  error_message: text.meta({ description: 'The meaning of the error, as its table says it.' }),
  cause: text,
  cause_fact: causeFact,
  caller_left: z.boolean(),
  recovered: z.boolean().meta({ description: 'A stream broke off and another answer made it whole.' }),
  receive_ms: z.number().meta({ description: 'Until the request was read.' }),
  queue_ms: z.number().meta({ description: 'In line for a target.' }),
  bytes_in: z.number(),
  bytes_out: z.number(),
  usage: usageSchema.nullable().meta({ description: 'Of all attempts together.' }),
  losses: z.array(lossSchema),
  candidates: z.array(candidateSchema).meta({ description: 'The plan in order, and what it excluded.' }),
  attempts: z.array(attemptSchema).meta({ description: 'The calls, in order.' }),
})

export const requestListSchema = z.object({
  data: z.array(requestSummarySchema),
  has_more: z.boolean(),
  next: count.meta({ description: '`before` for the page that follows; null on the last page.' }),
})

const statusError = 'must be a status such as 429, or a class such as 5xx'

export const listRequestsSchema = z.strictObject({
  key: wordField.meta({ description: "A key's id or name." }).optional(),
  user: wordField.optional(),
  group: wordField.optional(),
  model: wordField.meta({ description: 'The public name.' }).optional(),
  channel: wordField
    .meta({ description: 'A channel that was asked: it answered, or an attempt on it failed.' })
    .optional(),
  upstream_model: wordField.optional(),
  status: z
    .string()
    .regex(/^[1-5](\d\d|xx)$/, { error: statusError })
    .meta({ description: 'Such as 429, or a class such as 5xx.' })
    .optional(),
  error: wordField.meta({ description: 'A code of the error table.' }).optional(),
  stream: z.enum(['true', 'false'], { error: 'must be true or false' }).optional(),
  captured: z
    .literal('true', { error: 'must be true' })
    .meta({ description: 'Only those whose prompt or answer is stored for reading.' })
    .optional(),
  min_ms: wholeNumberField(0, 1_000_000_000)
    .meta({ description: 'Minimum total duration in milliseconds.' })
    .optional(),
  since: momentField.meta({ description: 'Ended at this time or later.' }).optional(),
  until: momentField.meta({ description: 'Ended at this time or before.' }).optional(),
  limit: wholeNumberField(1, 500).meta({ description: 'Default 50.' }).optional(),
  before: wholeNumberField(0, Number.MAX_SAFE_INTEGER)
    .meta({ description: 'Rows with a lower id.' })
    .optional(),
  after: wholeNumberField(0, Number.MAX_SAFE_INTEGER)
    .meta({ description: 'Rows with a higher id.' })
    .optional(),
})

export type RequestSummaryView = Readonly<z.output<typeof requestSummarySchema>>
export type RequestDetailView = Readonly<z.output<typeof requestDetailSchema>>
export type RequestListView = Readonly<z.output<typeof requestListSchema>>
/** The filters as a client writes them. */
export type ListRequests = Readonly<z.input<typeof listRequestsSchema>>

/** The operations that read the log. */
export interface RequestLogOperations {
  /** Lists the newest first. If `ownedBy` is given, only the requests of these owners. */
  list(query: ListRequests, ownedBy?: OwnedBy): Promise<RequestListView>
  /** Shows a request. For one of its owners, details that only operators need are left out. */
  get(requestId: string, ownedBy?: OwnedBy): Promise<RequestDetailView>
}
