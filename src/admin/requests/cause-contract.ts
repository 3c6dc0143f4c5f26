// Causes of errors as clients of the admin API see them. This file imports no code but zod, so that a browser can
// import it.
import { z } from 'zod'

export const plainCauses = [
  'disk_nearly_full',
  'disk_fills_up',
  'client_secret_unknown',
  'no_content_type',
] as const
const modelCauses = ['model_unknown', 'model_denied', 'model_not_usable'] as const
export const rateCauses = [
  'requests_per_minute',
  'tokens_per_minute',
  'input_tokens_per_minute',
  'output_tokens_per_minute',
  'concurrency',
] as const
const creditOwners = ['key', 'user', 'group'] as const

/** The causes that Headgate words itself. Those of providers and of the system have their text alone. */
export const causeFactSchema = z.discriminatedUnion('code', [
  z.object({ code: z.enum(plainCauses) }),
  z.object({ code: z.enum(modelCauses), model: z.string().nullable() }),
  z.object({
    code: z.literal('rate_reached'),
    rate: z.enum(rateCauses),
    limit: z.string().nullable().meta({ description: 'Such as key:ci; null: that of the installation.' }),
  }),
  z.object({
    code: z.enum(['budget_spent', 'budget_too_small']),
    budget: z.string(),
    value: z.string().nullable().meta({ description: 'The value of the tag that it is counted for.' }),
  }),
  z.object({
    code: z.enum(['credit_spent', 'credit_too_small']),
    owner: z.enum(creditOwners),
    name: z.string().nullable().meta({ description: 'Null for the key of the request.' }),
  }),
  z.object({ code: z.literal('content_type'), type: z.string() }),
  z.object({ code: z.literal('closed_by_provider'), status: z.number(), reason: z.string() }),
  z.object({
    code: z.literal('error'),
    error: z.string().meta({ description: 'A code of the error table.' }),
  }),
])

export type CauseFact = Readonly<z.output<typeof causeFactSchema>>
