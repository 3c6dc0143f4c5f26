import { expect, it, onTestFinished, vi } from 'vitest'
import { systemClock } from '../../kit/time/clock.ts'
import { readDayOrTime, readTime } from './read-time.ts'

it('reads days, times and spans', () => {
  expect(readDayOrTime('2027-01-31')).toBe('2027-01-31')
  expect(readTime('2027-01-31')).toBe('2027-01-31T00:00:00.000Z')
  expect(readTime('2027-01-31T12:00:00+01:00')).toBe('2027-01-31T11:00:00.000Z')
  expect(systemClock.nowMs() - Date.parse(readTime('2h'))).toBeGreaterThanOrEqual(7_200_000)
})

it('reads a time without an offset in UTC, as the lists of commands print it, wherever the machine is', () => {
  vi.stubEnv('TZ', 'America/New_York')
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(readTime('2027-01-31 12:30:15')).toBe('2027-01-31T12:30:15.000Z')
  expect(readDayOrTime('2027-01-31T12:30')).toBe('2027-01-31T12:30:00.000Z')
})

// The parser of JavaScript finds a time in each of these: the year 2001, and a day of March.
it.each(['last 7', '7', 'yesterday 1', '2027-02-30', '2027-02-30T12:00:00Z', '2027-02-03 noon 1'])(
  'refuses %s',
  (text) => {
    expect(() => readTime(text)).toThrow('Give a time such as')
  },
)
