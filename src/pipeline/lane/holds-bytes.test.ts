import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { holdsBytes } from './holds-bytes.ts'

describe('bytes in chunks', () => {
  it('are found wherever the chunks end', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 30 })
    const cuts = fc.array(fc.nat(30), { maxLength: 6 })
    fc.assert(
      fc.property(
        text,
        fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 6 }),
        cuts,
        (all, part, at) => {
          const places = [
            0,
            ...at.filter((place) => place < all.length).sort((one, other) => one - other),
            all.length,
          ]
          const chunks = places.slice(1).map((end, index) => Buffer.from(all.slice(places[index], end)))
          expect(holdsBytes(chunks, Buffer.from(part))).toBe(all.includes(part))
        },
      ),
      { numRuns: 2_000 },
    )
  })
})
