// Usage reports as clients of the admin API see them. This file imports no code but schemas, so that a browser can
// import it.
import { z } from 'zod'
import type { OwnedBy } from '../../canonical/owned-by.ts'
import { wholeNumberField } from '../query-fields.ts'
import { usageClassesSchema } from '../usage-fields.ts'
import { moneyFields, spanFields, subjectQueryFields } from './ledger-fields.ts'

export const MAX_USAGE_GROUPS = 1_000

const byError =
  'must be up to four of key, user, group, model, upstream_model, channel, hour, day, month and tag:NAME, separated by commas'

export const queryUsageSchema = z.strictObject({
  by: z
    .string()
    .max(512, { error: byError })
    .meta({
      description:
        'What usage is added up by, at most four of key, user, group, model, upstream_model, channel, hour, day, month and tag:NAME, separated by commas. Absent: everything together.',
    })
    .optional(),
  ...spanFields,
  ...subjectQueryFields,
  order: z
    .enum(['name', 'cost'], { error: 'must be name or cost' })
    .meta({
      description:
        'cost: what cost most first. Absent: by name where it is by hour, day or month, else by cost.',
    })
    .optional(),
  limit: wholeNumberField(1, MAX_USAGE_GROUPS).meta({ description: 'Default 100.' }).optional(),
  after: z.string().max(8_192).meta({ description: 'The `next` of the page before.' }).optional(),
})

const sumsSchema = z.object({
  requests: z.number(),
  attempts: z.number().meta({ description: 'Calls of channels: several for a request that failed over.' }),
  failed: z
    .number()
    .meta({ description: 'Attempts that billed nothing, or did not end as their caller wanted.' }),
  estimated: z
    .number()
    .meta({ description: 'Attempts whose usage is counted by us, and not corrected since.' }),
  usage: usageClassesSchema,
  ...moneyFields,
})

const usageGroupSchema = sumsSchema.extend({
  by: z.record(z.string(), z.string().nullable()).meta({
    description:
      'The name in each dimension, null where there is none. A key has its id as key_id beside its name. A month is 2027-01, a day 2027-01-31, an hour the moment at which it begins, by the time zone.',
  }),
})

export const usageReportSchema = z.object({
  by: z.array(z.string()),
  since: z.iso.datetime().meta({ description: 'Spans begin and end on quarters of an hour.' }),
  until: z.iso.datetime(),
  time_zone: z.string(),
  data: z.array(usageGroupSchema),
  totals: sumsSchema.meta({ description: 'Of all groups, not of this page alone.' }),
  has_more: z.boolean(),
  next: z.string().nullable().meta({ description: '`after` for the next page; null on the last page.' }),
})

export type UsageReport = Readonly<z.output<typeof usageReportSchema>>
export type UsageGroupView = Readonly<z.output<typeof usageGroupSchema>>
export type UsageSumsView = Readonly<z.output<typeof sumsSchema>>
/** The query as a client writes it. */
export type QueryUsage = Readonly<z.input<typeof queryUsageSchema>>

/** The operations that read usage. */
export interface UsageOperations {
  /** Reports usage. If `ownedBy` is given, only that of keys of these owners. */
  report(query: QueryUsage, ownedBy?: OwnedBy): Promise<UsageReport>
}
