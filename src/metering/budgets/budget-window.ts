import type { BudgetWindow, CalendarUnit } from '../../access/limits/budget-terms.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kit/time/time-units.ts'

/** A period in which a budget adds up amounts. The end is excluded. It is undefined if the period never ends. */
export interface WindowSpan {
  readonly startMs: number
  readonly endMs: number | undefined
}

/** The number of parts of a rolling window. They leave the window one by one. */
const ROLLING_PARTS = 60

const endless: WindowSpan = { startMs: 0, endMs: undefined }

/**
 * The span that contains a moment. For a rolling window, it is one of the window's parts. Spans of one window never
 * overlap.
 */
export function spanAt(window: BudgetWindow, nowMs: number): WindowSpan {
  switch (window.type) {
    case 'total':
      return endless
    case 'rolling':
      return regularSpan(Math.ceil(window.lengthMs / ROLLING_PARTS), nowMs)
    case 'calendar':
      return calendarSpan(window.unit, findZone(window.timeZone), nowMs)
  }
}

function regularSpan(lengthMs: number, nowMs: number): WindowSpan {
  const startMs = Math.floor(nowMs / lengthMs) * lengthMs
  return { startMs, endMs: startMs + lengthMs }
}

function calendarSpan(unit: CalendarUnit, zone: Zone, nowMs: number): WindowSpan {
  const cached = zone.spans.get(unit)
  if (cached !== undefined && nowMs >= cached.startMs && nowMs < (cached.endMs ?? 0)) return cached
  const span = computeSpan(unit, zone, nowMs)
  zone.spans.set(unit, span)
  return span
}

function computeSpan(unit: CalendarUnit, zone: Zone, nowMs: number): WindowSpan {
  switch (unit) {
    case 'minute':
      return regularSpan(MINUTE_MS, nowMs)
    case 'hour':
      return hourSpan(zone, nowMs)
    case 'day':
    case 'week':
    case 'month': {
      const day = firstDay(unit, localOf(zone, nowMs))
      return { startMs: startOfDay(zone, day), endMs: startOfDay(zone, nextDay(unit, day)) }
    }
  }
}

/** Offsets of time zones are whole minutes; some are not whole hours. An hour that the clock repeats is two windows. */
function hourSpan(zone: Zone, nowMs: number): WindowSpan {
  const shiftMs = offsetAt(zone, nowMs) % HOUR_MS
  const startMs = Math.floor((nowMs + shiftMs) / HOUR_MS) * HOUR_MS - shiftMs
  const endMs = startMs + HOUR_MS
  // A change of the offset within the hour starts another window.
  const offsetMs = offsetAt(zone, nowMs)
  return {
    startMs: offsetAt(zone, startMs) === offsetMs ? startMs : findChange(zone, startMs, nowMs),
    endMs: offsetAt(zone, endMs - 1) === offsetMs ? endMs : findChange(zone, nowMs, endMs - 1),
  }
}

/** The first moment that has the offset of `toMs`. */
function findChange(zone: Zone, fromMs: number, toMs: number): number {
  const wanted = offsetAt(zone, toMs)
  let [before, after] = [fromMs, toMs]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (offsetAt(zone, middle) === wanted) after = middle
    else before = middle
  }
  return after
}

/** A day of the calendar, as midnight of that day in UTC. */
type CalendarDay = number

function firstDay(unit: 'day' | 'week' | 'month', localMs: number): CalendarDay {
  const day = Math.floor(localMs / DAY_MS) * DAY_MS
  const date = new Date(day)
  if (unit === 'week') return day - ((date.getUTCDay() + 6) % 7) * DAY_MS
  return unit === 'month' ? Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) : day
}

function nextDay(unit: 'day' | 'week' | 'month', day: CalendarDay): CalendarDay {
  const date = new Date(day)
  if (unit === 'month') return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
  return day + (unit === 'week' ? 7 : 1) * DAY_MS
}

/**
 * The first moment of a day: midnight, or the earlier of two midnights. If the day has no midnight, the moment to which
 * the clock jumps.
 */
function startOfDay(zone: Zone, day: CalendarDay): number {
  const candidates = [day - offsetAt(zone, day - DAY_MS), day - offsetAt(zone, day + DAY_MS)]
  const midnights = candidates.filter((atMs) => localOf(zone, atMs) === day)
  if (midnights.length > 0) return Math.min(...midnights)
  const lateMs = Math.max(...candidates)
  return findChange(zone, lateMs - DAY_MS / 2, lateMs)
}

/** The first moment of a date in a time zone. `date` has the form `2027-01-31`. */
export function startOfDate(date: string, timeZone: string): number {
  return startOfDay(findZone(timeZone), Date.parse(`${date}T00:00:00Z`))
}

/** The offset of a time zone from UTC in milliseconds; positive where its clocks are ahead. */
export function offsetMsAt(timeZone: string, atMs: number): number {
  return offsetAt(findZone(timeZone), atMs)
}

interface Zone {
  readonly format: Intl.DateTimeFormat
  /** UTC needs no look-up of an offset. A report by hours looks up thousands of moments. */
  readonly isUtc: boolean
  /** The last span of each unit that was returned. */
  readonly spans: Map<CalendarUnit, WindowSpan>
}

const zones = new Map<string, Zone>()

function findZone(name: string): Zone {
  const cached = zones.get(name)
  if (cached !== undefined) return cached
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    calendar: 'gregory',
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  const isUtc = format.resolvedOptions().timeZone === 'UTC'
  const zone: Zone = { format, isUtc, spans: new Map() }
  zones.set(name, zone)
  return zone
}

/** The local time of the zone, as a timestamp that reads the same in UTC. */
function localOf(zone: Zone, atMs: number): number {
  return atMs + offsetAt(zone, atMs)
}

function offsetAt({ format, isUtc }: Zone, atMs: number): number {
  if (isUtc) return 0
  const wholeMs = Math.floor(atMs / 1_000) * 1_000
  const parts = new Map(format.formatToParts(wholeMs).map(({ type, value }) => [type, Number(value)]))
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
  const shown = Date.UTC(
    ...([part('year'), part('month') - 1, part('day')] as const),
    ...([part('hour'), part('minute'), part('second')] as const),
  )
  return shown - wholeMs
}
