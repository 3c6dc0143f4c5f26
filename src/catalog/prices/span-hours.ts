import type { PriceHours } from './price.ts'

const MINUTES_PER_DAY = 1_440

/**
 * The hours from one time of day to another. Where the end is not after the start, the span continues past midnight
 * into the next day.
 */
export function spanHours(
  weekdays: readonly number[],
  fromMinute: number,
  untilMinute: number,
): readonly PriceHours[] {
  if (untilMinute > fromMinute) return [{ weekdays, fromMinute, untilMinute }]
  const late = { weekdays, fromMinute, untilMinute: MINUTES_PER_DAY }
  if (untilMinute === 0) return [late]
  const nextDays = weekdays.map((day) => (day + 1) % 7)
  return [late, { weekdays: nextDays, fromMinute: 0, untilMinute }]
}
