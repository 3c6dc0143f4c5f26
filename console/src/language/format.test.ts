import { beforeAll, expect, it, vi } from 'vitest'
import { writeDistance, writeDuration, writeSpend, writeUsd } from './format.ts'
import { speak } from './language.ts'

vi.stubGlobal('document', { documentElement: { lang: '' } })

beforeAll(() => speak('en'))

it.each([
  [999.7, '1s'],
  [59_960, '1m'],
  [119_700, '2m'],
  [3_599_800, '1h'],
  [7_199_000, '2h'],
  [86_399_000, '1 day'],
  [90_061_000, '1 day 1h'],
  [61_000, '1m 1s'],
])('a duration of %d ms is written as %s', (ms, text) => {
  expect(writeDuration(ms)).toBe(text)
})

it.each([
  ['2026-12-01T00:00:00Z', 'in 1 day'],
  ['2026-11-28T10:00:00Z', '2 days ago'],
  ['2026-11-28T14:00:00Z', '1 day ago'],
  ['2027-01-05T00:00:00Z', 'in 1 month'],
  ['2026-11-29T21:00:00Z', '1 hour ago'],
  ['2026-11-29T22:10:00Z', 'now'],
])('%s is written as %s on the evening of November 29, and never by a name of the calendar', (at, text) => {
  expect(writeDistance(at, Date.parse('2026-11-29T22:10:00Z'))).toBe(text)
})

it.each([
  [0.0996, '$0.10'],
  [-0.0996, '-$0.10'],
  [0.0949, '$0.095'],
  [0.00000012, '$0.00000012'],
  [0, '$0.00'],
  [0.1, '$0.10'],
  [1234.5, '$1,234.50'],
])('%d dollars are written as %s', (usd, text) => {
  expect(writeUsd(usd)).toBe(text)
})

it('use that is charged at another rate has both amounts', () => {
  expect(writeSpend(2, 2.2)).toBe('$2.00 · $2.20 charged')
  expect(writeSpend(2, 2)).toBe('$2.00')
})
