import { expect, test } from 'vitest'
import { durationSchema } from './duration-schema.ts'

test.each([
  ['500ms', 500],
  ['10s', 10_000],
  ['1.5s', 1_500],
  ['60m', 3_600_000],
  ['1h', 3_600_000],
  ['7d', 604_800_000],
])('%s is %i milliseconds', (text, milliseconds) => {
  expect(durationSchema.parse(text)).toBe(milliseconds)
})

test.each(['10', '10 s', 's', '-1s', '0s', '25d', '1h30m', '1e3s', 10, null])('%s is refused', (value) => {
  expect(durationSchema.safeParse(value).success).toBe(false)
})
