import { MINUTE_MS } from '../../kit/time/time-units.ts'
import { offsetMsAt, startOfDate } from '../../metering/budgets/budget-window.ts'
import { refuseField } from '../view-problem.ts'

const DEFAULT_TIME_ZONE = 'UTC'

export interface SpanParams {
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly time_zone?: string | undefined
}

export interface ReadSpan {
  readonly sinceMs: number | undefined
  readonly untilMs: number | undefined
  readonly timeZone: string
}

/** Reads a span. Days start by the time zone. The end must not be before the start. */
export function readSpan({ since, until, time_zone: timeZone = DEFAULT_TIME_ZONE }: SpanParams): ReadSpan {
  const [sinceMs, untilMs] = [since, until].map((text) => readMoment(text, timeZone))
  if (sinceMs !== undefined && untilMs !== undefined && untilMs <= sinceMs) {
    const fact = { code: 'not_after_field', values: { field: 'since' } } as const
    throw refuseField('invalid_field', { param: 'until', message: '"until" must be after "since".', fact })
  }
  return { sinceMs, untilMs, timeZone }
}

function readMoment(text: string | undefined, timeZone: string): number | undefined {
  if (text === undefined) return undefined
  return text.includes('T') ? Date.parse(text) : startOfDate(text, timeZone)
}

/** A time in the time zone, with its offset from UTC: `2027-01-31T13:00:00+01:00`. */
export function writeLocalTime(atMs: number, timeZone: string): string {
  const offsetMs = offsetMsAt(timeZone, atMs)
  const local = new Date(atMs + offsetMs).toISOString().slice(0, 19)
  if (offsetMs === 0) return `${local}Z`
  const minutes = Math.abs(Math.round(offsetMs / MINUTE_MS))
  const parts = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'))
  return `${local}${offsetMs < 0 ? '-' : '+'}${parts.join(':')}`
}
