import { isRepeatedHour } from '../../time/time-buckets.ts'

const DAY_AND_CLOCK = 'yyyy-mm-dd hh:mm'.length

/**
 * The name of an hour, a day or a month for a table. An hour that the clock shows twice, as it is set back, has its
 * offset from UTC, without which two rows would have the same name.
 */
export function nameBucket(name: string): string {
  const shown = name.replace('T', ' ').slice(0, DAY_AND_CLOCK)
  return isNamedTwice(name) ? `${shown} ${name.slice('yyyy-mm-ddThh:mm:ss'.length)}` : shown
}

/** Whether another hour has the same day and clock. */
export function isNamedTwice(name: string): boolean {
  return name.includes('T') && isRepeatedHour(Date.parse(name))
}
