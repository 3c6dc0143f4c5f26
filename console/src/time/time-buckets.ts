import { DAY_MS, HOUR_MS, MINUTE_MS } from './time-units.ts'

export type BucketUnit = 'hour' | 'day'

/** The usual length of an hour and a day. A day with a clock change is an hour longer or shorter. */
export const bucketMs: Readonly<Record<BucketUnit, number>> = { hour: HOUR_MS, day: DAY_MS }

/** The start of the hour or the day that contains a time, in the viewer's time zone. */
export function bucketStart(ms: number, unit: BucketUnit): number {
  const date = new Date(ms)
  if (unit === 'day') return date.setHours(0, 0, 0, 0)
  // The date itself would take the second of two equal hours, when the clock is set back, for the first.
  const offsetMs = date.getTimezoneOffset() * MINUTE_MS
  return Math.floor((ms - offsetMs) / HOUR_MS) * HOUR_MS + offsetMs
}

/** Whether the viewer's clock shows the hour that begins at a time twice, as it is set back. */
export function isRepeatedHour(startMs: number): boolean {
  const hourOf = (ms: number) => new Date(ms).getHours()
  const hour = hourOf(startMs)
  return hour === hourOf(startMs - HOUR_MS) || hour === hourOf(startMs + HOUR_MS)
}

/** The starts of all buckets between two times. A day may have 23 or 25 hours. */
export function listBuckets(sinceMs: number, untilMs: number, unit: BucketUnit): readonly number[] {
  const starts: number[] = []
  for (let start = bucketStart(sinceMs, unit); start < untilMs; start = nextBucket(start, unit))
    starts.push(start)
  return starts
}

function nextBucket(startMs: number, unit: BucketUnit): number {
  const date = new Date(startMs)
  if (unit === 'hour') return startMs + HOUR_MS
  date.setDate(date.getDate() + 1)
  // The day before begins at one where the clock is set forward at midnight.
  return bucketStart(date.getTime(), unit)
}

/** The name of the viewer's time zone. */
export function viewerZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}
