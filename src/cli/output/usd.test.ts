import { expect, it } from 'vitest'
import { createUsdColumn, writeUsdNumber } from './usd.ts'

it.each([
  [0, '0'],
  [1e-9, '0.000000001'],
  [-0.5, '-0.5'],
  [3_999_999.123456789, '3999999.123456789'],
  [12_345_678.9, '12345678.900000'],
])('the amount %d is formatted as %s', (dollars, text) => {
  expect(writeUsdNumber(dollars)).toBe(text)
})

it('amounts in a column share the number of digits of the longest, and have at least cents', () => {
  const write = createUsdColumn([12, 0.0001, 3.5])
  expect([12, 0.0001, 3.5].map(write)).toEqual(['12.0000', '0.0001', '3.5000'])
  expect(createUsdColumn([12])(12)).toBe('12.00')
  expect(createUsdColumn([])(0)).toBe('0.00')
})
