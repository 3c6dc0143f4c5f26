import { queryOptions } from '@tanstack/react-query'
import {
  type TrafficCountsView,
  type TrafficReportView,
  trafficReportSchema,
} from '../../../../src/admin/requests/traffic-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { nowMs } from '../../time/clock.ts'
import { reportStart, spanBefore } from '../../time/report-spans.ts'
import { bucketMs, listBuckets, viewerZone } from '../../time/time-buckets.ts'
import { REFRESH_MS, startOfBucket, unitOf } from './overview-queries.ts'
import type { Dimension, OverviewSearch, OverviewSpan } from './overview-search.ts'

type Filters = Pick<OverviewSearch, Dimension>

const MAX_ROWS = 200

export interface TrafficOverTime {
  readonly times: readonly number[]
  readonly stepMs: number
  /** The counts of each bucket. Undefined for a bucket without requests. */
  readonly counts: readonly (TrafficCountsView | undefined)[]
  readonly totals: TrafficCountsView
}

/**
 * Requests, errors and latencies by the hour or the day. The query fails for filters that these counts do not
 * support.
 */
export const trafficOverTimeQuery = (span: OverviewSpan, filters: Filters) =>
  queryOptions({
    queryKey: ['traffic', 'over-time', span, filters],
    async queryFn({ signal }): Promise<TrafficOverTime> {
      const unit = unitOf(span)
      const now = nowMs()
      const times = listBuckets(reportStart(span, now), now, unit)
      const since = new Date(times[0] ?? now).toISOString()
      const query = { ...filters, by: unit, since, time_zone: viewerZone() }
      const report = await callApi({ path: '/traffic', query, answer: trafficReportSchema, signal })
      const byStart = new Map(report.data.map((group) => [startOfBucket(group.by[unit], unit), group]))
      return {
        times,
        stepMs: bucketMs[unit],
        totals: report.totals,
        counts: times.map((time) => byStart.get(time)),
      }
    },
    refetchInterval: REFRESH_MS,
    retry: false,
  })

/** The counts of the previous span, for comparison. */
export const trafficBeforeQuery = (span: OverviewSpan, filters: Filters) =>
  queryOptions({
    queryKey: ['traffic', 'before', span, filters],
    async queryFn({ signal }): Promise<TrafficCountsView> {
      const query = { ...filters, ...spanBefore(span, nowMs()) }
      const report = await callApi({ path: '/traffic', query, answer: trafficReportSchema, signal })
      return report.totals
    },
    staleTime: REFRESH_MS,
    retry: false,
  })

/** The counts of each name of a dimension, by the name that the breakdown uses. */
export const trafficByQuery = (dimension: Dimension, span: OverviewSpan, filters: Filters) =>
  queryOptions({
    queryKey: ['traffic', 'by', dimension, span, filters],
    async queryFn({ signal }): Promise<TrafficReportView> {
      const since = new Date(reportStart(span, nowMs())).toISOString()
      const query = { ...filters, by: dimension, since, limit: MAX_ROWS }
      return callApi({ path: '/traffic', query, answer: trafficReportSchema, signal })
    },
    select: ({ data }): ReadonlyMap<string, TrafficCountsView> =>
      new Map(data.map((group) => [group.by[dimension === 'key' ? 'key_id' : dimension] ?? '', group])),
    refetchInterval: REFRESH_MS,
    retry: false,
  })
