import fc from 'fast-check'
import { expect, it } from 'vitest'
import { brand } from '../kit/brand.ts'
import { multiplyPpm, type NanoDollars, writeDollars } from './money.ts'

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

it('a number of nano-dollars is formatted like the equal bigint', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (amount) => {
      expect(writeDollars(brand<NanoDollars>(amount))).toBe(writeDollars(BigInt(amount)))
    }),
  )
})

it.each([
  [7_000, 1_000_000, 7_000],
  [7_000, 1_100_001, 7_701],
  [1, 1, 1],
  [5, 0, 0],
  // Beyond 2^53 on the way, where doubles would round.
  [9_007_199_254_740_991, 999_999, 9_007_190_247_541_737],
  [9_007_199_254_740_991, 2_000_000, 9_007_199_254_740_991],
])('%i nano-dollars times %i millionths is %i, rounded up', (amount, ppm, product) => {
  expect(multiplyPpm(brand<NanoDollars>(amount), ppm)).toBe(product)
})
