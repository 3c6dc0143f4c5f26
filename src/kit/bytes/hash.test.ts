import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fractionOf, hashBytes } from './hash.ts'

describe('the byte hash', () => {
  it('distinguishes texts that differ in one byte, at any position', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 64 }),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (bytes, place, change) => {
          const index = place % bytes.length
          const other = bytes.with(index, (bytes[index] ?? 0) ^ change)
          expect(hashBytes(other)).not.toBe(hashBytes(bytes))
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it('distinguishes texts that differ in the number of trailing zeros', () => {
    const hashes = Array.from({ length: 64 }, (_, length) => hashBytes(new Uint8Array(length)))
    expect(new Set(hashes).size).toBe(64)
  })

  it('spreads numbered texts evenly', () => {
    const counts = Array.from({ length: 10 }, () => 0)
    for (let index = 0; index < 20_000; index += 1) {
      const tenth = Math.floor(fractionOf(hashBytes(Buffer.from(`conversation ${index}`))) * 9.999_999)
      counts[tenth] = (counts[tenth] ?? 0) + 1
    }
    for (const count of counts) expect(Math.abs(count - 2_000)).toBeLessThan(250)
  })
})
