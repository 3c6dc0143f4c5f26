import { expect, test } from 'vitest'
import { byteSizeSchema } from './byte-size-schema.ts'

test.each([
  ['512B', 512],
  ['64KB', 65_536],
  ['32MB', 33_554_432],
  ['32MiB', 33_554_432],
  ['1.5kb', 1_536],
  ['1GB', 1_073_741_824],
])('%s is %i bytes', (text, bytes) => {
  expect(byteSizeSchema.parse(text)).toBe(bytes)
})

test.each(['32', '32M', 'MB', '-1MB', '1TB', 32])('%s is refused', (value) => {
  expect(byteSizeSchema.safeParse(value).success).toBe(false)
})
