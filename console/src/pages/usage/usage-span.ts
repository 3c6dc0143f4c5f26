import { reportStart } from '../../time/report-spans.ts'
import type { UsageSearch } from './usage-search.ts'

export interface UsageSpanDays {
  readonly since: string
  readonly until: string | undefined
}

/** The start and the end of the report's span, in the form that the gateway expects. */
export function readUsageSpan({ span = '30d', since, until }: UsageSearch, nowMs: number): UsageSpanDays {
  const now = new Date(nowMs)
  switch (span) {
    case 'month':
      return { since: dayOf(now.getFullYear(), now.getMonth(), 1), until: undefined }
    case 'last-month':
      return {
        since: dayOf(now.getFullYear(), now.getMonth() - 1, 1),
        until: dayOf(now.getFullYear(), now.getMonth(), 1),
      }
    case 'custom': {
      const first = since ?? dayOf(now.getFullYear(), now.getMonth(), now.getDate() - 6)
      return { since: first, until: until === undefined ? undefined : dayAfter(until) }
    }
    case '24h':
      return { since: new Date(reportStart(span, nowMs)).toISOString(), until: undefined }
    case '7d':
    case '30d':
    case '90d':
      return { since: nameDay(new Date(reportStart(span, nowMs))), until: undefined }
  }
}

/** The first and the last day of a report in the viewer's calendar. The end of the report is exclusive. */
export function daysOfReport({ since, until }: { readonly since: string; readonly until: string }) {
  return { first: nameDay(new Date(since)), last: nameDay(new Date(Date.parse(until) - 1)) }
}

function nameDay(date: Date): string {
  return dayOf(date.getFullYear(), date.getMonth(), date.getDate())
}

/** A day of the viewer's calendar, such as 2027-01-31. */
function dayOf(year: number, month: number, day: number): string {
  const date = new Date(year, month, day)
  const part = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${part(date.getMonth() + 1)}-${part(date.getDate())}`
}

/** The gateway's end is exclusive, whereas the viewer's last day is included. */
function dayAfter(day: string): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return dayOf(year, month - 1, date + 1)
}
