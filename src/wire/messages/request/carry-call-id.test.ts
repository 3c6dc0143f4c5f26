import fc from 'fast-check'
import { expect, it } from 'vitest'
import { carryCallId, restoreCallId } from './carry-call-id.ts'

it('a call id in the format’s letters is carried unchanged', () => {
  expect(carryCallId('toolu_01A09q90qw90lq917835lq9')).toBe('toolu_01A09q90qw90lq917835lq9')
})

it('any other call id is encoded in those letters', () => {
  expect(carryCallId('functions.f:0')).toBe('hg_ZnVuY3Rpb25zLmY6MA')
  expect(restoreCallId('hg_ZnVuY3Rpb25zLmY6MA')).toBe('functions.f:0')
})

it('every id comes back unchanged, and an id without an encoding stays', () => {
  const ids = fc.oneof(
    fc.string(),
    fc.string().map((text) => `hg_${text}`),
    fc.string({ unit: 'binary' }),
  )
  fc.assert(
    fc.property(ids, (id) => {
      const isWhole = id.isWellFormed()
      if (isWhole) expect(restoreCallId(carryCallId(id))).toBe(id)
      const restored = restoreCallId(id)
      if (restored !== id) expect(carryCallId(restored)).toBe(id)
    }),
  )
})
