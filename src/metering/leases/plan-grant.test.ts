import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type GrantInput, planGrant } from './plan-grant.ts'

const input: GrantInput = { ceiling: 1_000, used: 0, needed: 10, minimum: 1, ahead: 0, nodes: 2 }
const grant = (more: Partial<GrantInput>) => planGrant({ ...input, ...more })

it('grants exactly one hold when fewer than 32 further holds fit', () => {
  expect(grant({ used: 671, ahead: 500 })).toBe(10)
  expect(grant({ used: 670, ahead: 500 })).toBe(10 + 320 / 4 / 2)
})

it('grants in advance the amount of likely use, and at most a quarter of an even share', () => {
  expect(grant({ ahead: 5 })).toBe(15)
  expect(grant({ ahead: 10_000 })).toBe(10 + Math.floor(990 / 4 / 2))
  expect(grant({ ahead: 10_000, nodes: 0 })).toBe(10 + Math.floor(990 / 4))
})

it('grants half of the rest when the hold does not fit, or the minimum useful amount when half is less', () => {
  expect(grant({ used: 992, needed: 10 })).toBe(4)
  expect(grant({ used: 992, needed: 10, minimum: 6 })).toBe(6)
})

it('grants nothing when less than the minimum useful amount is left', () => {
  expect(grant({ used: 995, minimum: 6 })).toBe(0)
  expect(grant({ used: 1_000, minimum: 0 })).toBe(0)
})

it('never grants more than the rest, nor less than a hold that fits', () => {
  const amount = fc.nat(10_000)
  const inputs = fc.record({
    ceiling: amount,
    used: amount,
    needed: fc.integer({ min: 1, max: 10_000 }),
    minimum: fc.integer({ min: 1, max: 10_000 }),
    ahead: fc.integer({ min: -100, max: 10_000 }),
    nodes: fc.nat(20),
  })
  fc.assert(
    fc.property(inputs, (all) => {
      const left = Math.max(0, all.ceiling - all.used)
      const granted = planGrant(all)
      expect(granted).toBeLessThanOrEqual(left)
      if (all.needed <= left) expect(granted).toBeGreaterThanOrEqual(all.needed)
      else expect(granted === 0 || granted >= all.minimum).toBe(true)
    }),
  )
})
