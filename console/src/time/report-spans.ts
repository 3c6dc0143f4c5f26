import { bucketStart } from './time-buckets.ts'
import { DAY_MS } from './time-units.ts'

/** A day of hours, or whole days of the viewer's calendar, today included. */
export type ReportSpan = '24h' | '7d' | '30d' | '90d'

const days: Readonly<Record<ReportSpan, number>> = { '24h': 1, '7d': 7, '30d': 30, '90d': 90 }

/** The start of a report that ends now. It is the same on every page, so that the sums of pages agree. */
export function reportStart(span: ReportSpan, nowMs: number): number {
  if (span === '24h') return bucketStart(nowMs - DAY_MS, 'hour')
  return bucketStart(daysBefore(nowMs, days[span] - 1), 'day')
}

/** The days before a report, to the same time of day, since a day that has just begun is no match for a whole one. */
export function spanBefore(
  span: ReportSpan,
  nowMs: number,
): { readonly since: string; readonly until: string } {
  const since = daysBefore(reportStart(span, nowMs), days[span])
  return {
    since: new Date(since).toISOString(),
    until: new Date(daysBefore(nowMs, days[span])).toISOString(),
  }
}

/** The same time of day on an earlier day of the viewer's calendar, which may have 23 or 25 hours. */
function daysBefore(ms: number, count: number): number {
  const date = new Date(ms)
  return date.setDate(date.getDate() - count)
}
