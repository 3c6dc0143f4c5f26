import { z } from 'zod'

const text = z.string().optional().catch(undefined)

export const usageSpans = ['24h', '7d', '30d', '90d', 'month', 'last-month', 'custom'] as const
export type UsageSpan = (typeof usageSpans)[number]
export const timeUnits = ['hour', 'day', 'month'] as const
export type TimeUnit = (typeof timeUnits)[number]
export const subjects = ['model', 'key', 'user', 'group', 'channel', 'upstream_model'] as const
export const measures = ['cost', 'charged', 'requests', 'tokens', 'failed'] as const
export type Measure = (typeof measures)[number]

/** The report, as stored in the address. */
export const usageSearchSchema = z.object({
  /** The dimensions: a subject, a time unit or a tag such as `tag:team`. */
  by: text,
  and: text,
  measure: z.enum(measures).optional().catch(undefined),
  span: z.enum(usageSpans).optional().catch(undefined),
  /** The first and the last day of a custom span, both included. */
  since: text,
  until: text,
  model: text,
  key: text,
  user: text,
  group: text,
  channel: text,
  tags: text,
})

export type UsageSearch = z.output<typeof usageSearchSchema>

export interface UsageSearchProps {
  readonly search: UsageSearch
  readonly onChange: (next: Partial<UsageSearch>) => void
}

/** The dimensions of a report. The default is days and models. A subject may be the only dimension. */
export function dimensionsOf({
  by = 'day',
  and = timeUnits.some((unit) => unit === by) ? 'model' : 'none',
}: UsageSearch): readonly string[] {
  return and === 'none' || and === by ? [by] : [by, and]
}

export function findTimeUnit(dimensions: readonly string[]): TimeUnit | undefined {
  return timeUnits.find((unit) => dimensions.includes(unit))
}
