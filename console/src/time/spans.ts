import { DAY_MS, HOUR_MS, MINUTE_MS } from './time-units.ts'

const unitsMs = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS } as const

/** The length of a span such as "30m" or "7d". Undefined for any other text. */
export function spanMs(span: string): number | undefined {
  const [, count, unit] = /^(\d{1,4})([mhd])$/.exec(span) ?? []
  if (count === undefined || (unit !== 'm' && unit !== 'h' && unit !== 'd')) return undefined
  return Number(count) * unitsMs[unit]
}

export interface SpanBounds {
  readonly since: string | undefined
  readonly until: string | undefined
}

/** The bounds of a list. "yesterday" is the whole previous day in the viewer's time zone. */
export function boundsOf({ since, until }: SpanBounds, nowMs: number): SpanBounds {
  if (since !== 'yesterday') return { since: momentOf(since, nowMs), until: momentOf(until, nowMs) }
  const now = new Date(nowMs)
  const dayStart = (daysAgo: number) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo).toISOString()
  return { since: dayStart(1), until: dayStart(0) }
}

/** The time of a text that is a time itself or a span before now. Undefined for any other text. */
function momentOf(text: string | undefined, nowMs: number): string | undefined {
  if (text === undefined) return undefined
  const length = spanMs(text)
  if (length !== undefined) return new Date(nowMs - length).toISOString()
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}
