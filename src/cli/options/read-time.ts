import { InvalidArgumentError } from 'commander'
import { systemClock } from '../../kit/time/clock.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kit/time/time-units.ts'

const agoMs = { s: 1_000, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS } as const
const DAY = /^\d{4}-\d{2}-\d{2}$/
const TIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:\d{2})?$/i

/** Whether the text is a day of the calendar, such as `2027-01-31`. The parser of JavaScript accepts February 30. */
export function isDay(text: string): boolean {
  const startMs = DAY.test(text) ? Date.parse(text) : Number.NaN
  return !Number.isNaN(startMs) && new Date(startMs).toISOString().startsWith(text)
}

/** Reads a time into the admin API's form. A day without a time begins at midnight UTC. */
export function readTime(text: string): string {
  return readDayOrTime(DAY.test(text) ? `${text}T00:00:00Z` : text)
}

/** Reads a time, but leaves a day unchanged, since the admin API knows when the day begins. */
export function readDayOrTime(text: string): string {
  const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (unit === 's' || unit === 'm' || unit === 'h' || unit === 'd') {
    return new Date(systemClock.nowMs() - Number(amount) * agoMs[unit]).toISOString()
  }
  if (isDay(text)) return text
  // A time without an offset is in UTC, as the lists print it. The parser takes it for the time of this machine.
  const [, day = '', ofDay = '', offset = 'Z'] = TIME.exec(text) ?? []
  const time = Date.parse(`${day}T${ofDay}${offset}`)
  if (isDay(day) && !Number.isNaN(time)) return new Date(time).toISOString()
  throw new InvalidArgumentError(
    'Give a time such as 2027-01-01 or 2027-01-01T12:00:00Z, or 30m, 2h, 7d ago.',
  )
}
