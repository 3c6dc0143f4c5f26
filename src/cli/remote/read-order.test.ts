import { expect, it } from 'vitest'
import { readOrder } from './read-order.ts'

it('numbers are sent as numbers, and other texts as they are', () => {
  expect(readOrder({ priority: '10', weight: '0.5', limit: '5' })).toEqual({
    priority: 10,
    weight: 0.5,
    limit_usd: 5,
  })
  expect(readOrder({ limit: 'unlimited', weight: '' })).toEqual({ limit_usd: 'unlimited', weight: '' })
})

// In JSON an infinite number becomes null, which takes the field away: the budget would have no limit.
it.each(['limit_usd=.inf', 'rates=[1, .nan]'])(
  'an assignment of an infinite number is refused: %s',
  (set) => {
    expect(() => readOrder({ set: [set] })).toThrow('must have no infinite numbers')
  },
)

it.each(['Infinity', '1e999'])('an infinite limit is sent as its text: %s', (limit) => {
  expect(JSON.stringify(readOrder({ limit }))).toBe(JSON.stringify({ limit_usd: limit }))
})
