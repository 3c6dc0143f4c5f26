import { beforeAll, expect, it, vi } from 'vitest'
import { writeDuration } from './format.ts'
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
