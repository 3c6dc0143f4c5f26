import { expect, it } from 'vitest'
import { brand } from '../kit/values/brand.ts'
import { type NanoDollars, writeDollars } from './money.ts'

it.each([
  [0, '0'],
  [1, '0.000000001'],
  [123_000, '0.000123'],
  [1_000_000_000, '1'],
  [-2_500_000_000, '-2.5'],
  [9_007_199_254_740_991, '9007199.254740991'],
])('%i nano-dollars are written as %s dollars', (amount, text) => {
  expect(writeDollars(brand<NanoDollars>(amount))).toBe(text)
})
