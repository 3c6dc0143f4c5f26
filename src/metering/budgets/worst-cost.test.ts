import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { NanoDollars } from '../../canonical/money.ts'
import { brand } from '../../kit/brand.ts'
import type { WorstCase } from '../meter.ts'
import { maxCap, worstAmounts } from './worst-cost.ts'

const amount = (max: number) => fc.integer({ min: 0, max }).map((each) => brand<NanoDollars>(each))
const worstCase = fc.record<WorstCase>({
  fixed: amount(5_000_000_000),
  outputRate: fc.oneof(amount(1_000), amount(600_000_000_000)),
  maxOutputTokens: fc.constant(undefined),
  minOutput: fc.constant(1),
  canClamp: fc.constant(true),
  multiplierPpm: fc.oneof(fc.constant(1_000_000), fc.integer({ min: 0, max: 10_000_000 })),
})

it('the largest cap costs no more than the amount, and one more token costs more', () => {
  const counts = fc.constantFrom('cost' as const, 'charged' as const)
  fc.assert(
    fc.property(worstCase, counts, amount(Number.MAX_SAFE_INTEGER), (worst, sum, limit) => {
      const cap = maxCap(worst, sum, limit)
      fc.pre(cap <= 1e12)
      const { cost, charged } = worstAmounts(worst, cap + 1)
      fc.pre(Math.max(cost, charged) < Number.MAX_SAFE_INTEGER)
      if (cap >= 0) expect(worstAmounts(worst, cap)[sum]).toBeLessThanOrEqual(limit)
      expect(worstAmounts(worst, cap + 1)[sum]).toBeGreaterThan(limit)
    }),
    { numRuns: 500 },
  )
})

it('amounts beyond the largest safe number become that number', () => {
  const worst: WorstCase = {
    fixed: brand<NanoDollars>(1),
    outputRate: brand<NanoDollars>(9e12),
    maxOutputTokens: undefined,
    minOutput: 1,
    canClamp: true,
    multiplierPpm: 2_000_000,
  }
  expect(worstAmounts(worst, 1e10)).toEqual({
    cost: Number.MAX_SAFE_INTEGER,
    charged: Number.MAX_SAFE_INTEGER,
  })
})
