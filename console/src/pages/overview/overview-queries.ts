import { queryOptions } from '@tanstack/react-query'
import {
  type UsageReport,
  type UsageSumsView,
  usageReportSchema,
} from '../../../../src/admin/ledger/usage-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { nowMs } from '../../time/clock.ts'
import { reportStart, spanBefore } from '../../time/report-spans.ts'
import { type BucketUnit, bucketMs, bucketStart, listBuckets, viewerZone } from '../../time/time-buckets.ts'
import type { Dimension, OverviewSearch, OverviewSpan } from './overview-search.ts'

type Filters = Pick<OverviewSearch, Dimension>

export const REFRESH_MS = 10_000
const MAX_BUCKETS = 1_000

/** The time unit that gives a chart a suitable number of bars. */
export function unitOf(span: OverviewSpan): BucketUnit {
  return span === '24h' || span === '7d' ? 'hour' : 'day'
}

export const defaultSpan: OverviewSpan = '24h'

export interface UsageOverTime {
  readonly times: readonly number[]
  readonly stepMs: number
  /** The sums of each bucket. Undefined for a bucket without requests. */
  readonly sums: readonly (UsageSumsView | undefined)[]
  readonly totals: UsageSumsView
  readonly sinceMs: number
}

/** Usage by the hour or the day, with every bucket of the span. */
export const usageOverTimeQuery = (span: OverviewSpan, filters: Filters) =>
  queryOptions({
    queryKey: ['usage', 'over-time', span, filters],
    async queryFn({ signal }): Promise<UsageOverTime> {
      const unit = unitOf(span)
      const now = nowMs()
      const times = listBuckets(reportStart(span, now), now, unit)
      const since = new Date(times[0] ?? now).toISOString()
      const query = { ...filters, by: unit, since, time_zone: viewerZone(), limit: MAX_BUCKETS }
      const report = await callApi({ path: '/usage', query, answer: usageReportSchema, signal })
      return { ...alignSums(report, times, unit), sinceMs: times[0] ?? now }
    },
    refetchInterval: REFRESH_MS,
  })

function alignSums({ data, totals }: UsageReport, times: readonly number[], unit: BucketUnit) {
  const byStart = new Map(data.map((group) => [startOfBucket(group.by[unit], unit), group]))
  return { times, stepMs: bucketMs[unit], totals, sums: times.map((time) => byStart.get(time)) }
}

/** A day is named only by its date, which is in the viewer's time zone. */
export function startOfBucket(name: string | null | undefined, unit: BucketUnit): number {
  if (typeof name !== 'string') return Number.NaN
  return bucketStart(Date.parse(unit === 'day' ? `${name}T00:00:00` : name), unit)
}

/** The totals of the previous span, for comparison. */
export const usageBeforeQuery = (span: OverviewSpan, filters: Filters) =>
  queryOptions({
    queryKey: ['usage', 'before', span, filters],
    async queryFn({ signal }) {
      const query = { ...filters, ...spanBefore(span, nowMs()) }
      const report = await callApi({ path: '/usage', query, answer: usageReportSchema, signal })
      return report.totals
    },
    staleTime: REFRESH_MS,
  })

const MAX_ROWS = 50

/** The names of one dimension with the highest costs. */
export const usageByQuery = (dimension: Dimension, span: OverviewSpan, filters: Filters) =>
  queryOptions({
    queryKey: ['usage', 'by', dimension, span, filters],
    async queryFn({ signal }) {
      const since = new Date(reportStart(span, nowMs())).toISOString()
      const query = { ...filters, by: dimension, since, order: 'cost', limit: MAX_ROWS }
      return callApi({ path: '/usage', query, answer: usageReportSchema, signal })
    },
    refetchInterval: REFRESH_MS,
  })
