import { DAY_MS, HOUR_MS } from './time-units.ts'

export type BucketUnit = 'hour' | 'day'

/** The length of most hours and days; the day on which a clock changes is an hour longer or shorter. */
export const bucketMs: Readonly<Record<BucketUnit, number>> = { hour: HOUR_MS, day: DAY_MS }

/** The beginning of the hour or the day of a moment, by the clock of the viewer. */
export function bucketStart(ms: number, unit: BucketUnit): number {
  const date = new Date(ms)
  if (unit === 'hour') date.setMinutes(0, 0, 0)
  else date.setHours(0, 0, 0, 0)
  return date.getTime()
}

/** The beginnings of all stretches from one moment to another. A day may have 23 or 25 hours. */
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
  return date.getTime()
}

/** The name of the zone whose clock the viewer reads. */
export function viewerZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}
