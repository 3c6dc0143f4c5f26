import { expect, it } from 'vitest'
import { wholeSeconds } from './whole-seconds.ts'

it('a wait is reported in whole seconds, despite small measurement errors', () => {
  expect([2_000, 2_000.000_1, 1_999.7, 2_049].map(wholeSeconds)).toEqual([2, 2, 2, 2])
  expect([2_060, 1_100, 10, 0, -5].map(wholeSeconds)).toEqual([3, 2, 1, 1, 1])
})
