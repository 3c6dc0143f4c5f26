import { GatewayError } from '../canonical/failure.ts'
import { DAY_MS } from '../kit/time/time-units.ts'
import type { UsageSpan } from '../metering/key-usage.ts'

const USUAL_DAYS = 100
const MAX_DAYS = 366

/**
 * The days between `start_date` and `end_date` of a query, both included, since some clients end with today and others
 * with tomorrow. Days are UTC days. Throws `invalid_field`.
 */
export function readBillingSpan(query: URLSearchParams, nowMs: number): UsageSpan {
  const lastMs = readDay(query, 'end_date') ?? Math.floor(nowMs / DAY_MS) * DAY_MS
  const sinceMs = readDay(query, 'start_date') ?? lastMs - (USUAL_DAYS - 1) * DAY_MS
  const untilMs = lastMs + DAY_MS
  if (sinceMs < untilMs && untilMs - sinceMs <= MAX_DAYS * DAY_MS) return { sinceMs, untilMs }
  throw new GatewayError('invalid_field', {
    param: 'start_date',
    message: `"start_date" must be a day before "end_date" or the same, and at most ${MAX_DAYS} days lie between them.`,
  })
}

function readDay(query: URLSearchParams, name: 'start_date' | 'end_date'): number | undefined {
  const text = query.get(name)
  if (text === null) return undefined
  const atMs = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  // The parser of dates reads a day that its month does not have as a day of the next month.
  if (!Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(text)) return atMs
  throw new GatewayError('invalid_field', {
    param: name,
    message: `"${name}" must be a day such as 2026-11-23.`,
  })
}
