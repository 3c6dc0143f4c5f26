// Counts and latencies of requests as clients of the admin API see them. This file imports no code but schemas, so that
// a browser can import it.
import { z } from 'zod'
import type { OwnedBy } from '../../canonical/owned-by.ts'
import { dayOrMomentField, timeZoneField, wholeNumberField, wordField } from '../query-fields.ts'

export const trafficDimensions = ['hour', 'day', 'key', 'user', 'group', 'model', 'channel'] as const

const byError = `must be one of ${trafficDimensions.join(', ')}`

export const queryTrafficSchema = z.strictObject({
  by: z
    .enum(trafficDimensions, { error: byError })
    .meta({ description: 'What requests are counted by. Absent: everything together.' })
    .optional(),
  since: dayOrMomentField
    .meta({ description: 'Ended at this time or later; the last 24 hours if absent.' })
    .optional(),
  until: dayOrMomentField.meta({ description: 'Ended before this time; now if absent.' }).optional(),
  time_zone: timeZoneField.meta({ description: 'By which days begin; UTC if absent.' }).optional(),
  key: wordField.meta({ description: "A key's id or name." }).optional(),
  user: wordField.optional(),
  group: wordField.optional(),
  model: wordField.meta({ description: 'The public name.' }).optional(),
  channel: wordField
    .meta({ description: 'Which answered; where none did, which was called last.' })
    .optional(),
  limit: wholeNumberField(1, 1_000)
    .meta({ description: 'The most groups, where these are not hours or days. Default 50.' })
    .optional(),
})

const count = z.number()
const milliseconds = z.number().nullable()

const latencySchema = z
  .object({ p50: milliseconds, p95: milliseconds, p99: milliseconds })
  .meta({ description: 'In milliseconds, to the class of a histogram; null where nothing was answered.' })

const trafficCountsSchema = z.object({
  requests: count,
  refused: count.meta({ description: 'For what the caller did: a status from 400 to 499.' }),
  rate_limited: count.meta({ description: 'Those of the refused that were over a limit: a status of 429.' }),
  failed: count.meta({
    description: 'Through no fault of the caller: a status from 500 on, or a stream that broke off.',
  }),
  first_content_ms: latencySchema,
  total_ms: latencySchema,
})

const trafficGroupSchema = trafficCountsSchema.extend({
  by: z.record(z.string(), z.string().nullable()).meta({
    description:
      'The name in the dimension, null where there is none. A key has its id as key_id beside its name. A day is 2027-01-31, an hour the moment at which it begins, by the time zone.',
  }),
})

export const trafficReportSchema = z.object({
  by: z.string().nullable(),
  since: z.iso.datetime().meta({ description: 'Spans begin and end on whole hours of UTC.' }),
  until: z.iso.datetime(),
  time_zone: z.string(),
  data: z.array(trafficGroupSchema),
  totals: trafficCountsSchema.meta({ description: 'Of all groups, not only of those that are listed.' }),
  counted_until: z.iso
    .datetime()
    .nullable()
    .meta({ description: 'Requests that ended later are not counted yet; null where all are.' }),
})

export type TrafficReportView = Readonly<z.output<typeof trafficReportSchema>>
export type TrafficCountsView = Readonly<z.output<typeof trafficCountsSchema>>
export type TrafficGroupView = Readonly<z.output<typeof trafficGroupSchema>>
/** The query as a client writes it. */
export type QueryTraffic = Readonly<z.input<typeof queryTrafficSchema>>

/** The operation that counts requests. */
export interface TrafficOperations {
  /** Reports traffic. If `ownedBy` is given, only the requests of these owners. */
  report(query: QueryTraffic, ownedBy?: OwnedBy): Promise<TrafficReportView>
}
