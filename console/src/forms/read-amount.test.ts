import { expect, it } from 'vitest'
import { readAmount } from './read-amount.ts'
import { writeAmount } from './write-amount.ts'

it.each([
  ['5', 5],
  ['0.25', 0.25],
  ['.5', 0.5],
  ['$1,000.50', 1000.5],
  ['$ 20', 20],
  ['-$20', -20],
  ['-0.1', -0.1],
  ['1 000 000', 1_000_000],
  ['12_500', 12_500],
  [' 7 ', 7],
])('an amount typed as %j is the number %d', (text, amount) => {
  expect(readAmount(text)).toBe(amount)
})

it.each(['0,50', '1,5', '1.000,50', '10,00', '1 5', '1,0000', '5.', '$', '-', '', '1e3', '9'.repeat(400)])(
  'an amount typed as %j is refused, as it could mean another number',
  (text) => {
    expect(readAmount(text)).toBeNaN()
  },
)

it.each([0, 5, 0.1, 1_000_000.25, 1e-7, 1.5e-9, 1e21])(
  'the amount %d is shown as a text that reads as it',
  (amount) => {
    expect(readAmount(writeAmount(amount))).toBe(amount)
  },
)
