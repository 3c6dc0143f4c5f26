import { z } from 'zod'

const text = z.string().optional().catch(undefined)

export const overviewSpans = ['24h', '7d', '30d', '90d'] as const
export const dimensions = ['model', 'key', 'group', 'channel', 'user'] as const
export type Dimension = (typeof dimensions)[number]

/** The span and the filters of the overview, as stored in the address. */
export const overviewSearchSchema = z.object({
  span: z.enum(overviewSpans).optional().catch(undefined),
  by: z.enum(dimensions).optional().catch(undefined),
  model: text,
  key: text,
  group: text,
  channel: text,
  user: text,
})

export type OverviewSearch = z.output<typeof overviewSearchSchema>
export type OverviewSpan = (typeof overviewSpans)[number]
