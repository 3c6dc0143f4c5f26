import { describe, expect, it } from 'vitest'
import { createSeededRandom } from './seeded-random.ts'

const draw = (count: number, ...seeds: number[]) => {
  const random = createSeededRandom(...seeds)
  return Array.from({ length: count }, () => random.fraction())
}

describe('the seeded random source', () => {
  it('repeats its values for the same seeds and differs for others', () => {
    expect(draw(50, 7, 1)).toEqual(draw(50, 7, 1))
    expect(draw(50, 7, 1)).not.toEqual(draw(50, 7, 2))
    expect(draw(50, 7)).not.toEqual(draw(50, 8))
    expect(createSeededRandom(3).bytes(16)).toEqual(createSeededRandom(3).bytes(16))
  })

  it('is spread over the whole range, even for adjacent seeds', () => {
    const firsts = Array.from({ length: 2_000 }, (_, seed) => createSeededRandom(seed).fraction())
    const mean = firsts.reduce((sum, value) => sum + value, 0) / firsts.length
    expect(Math.min(...firsts)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...firsts)).toBeLessThan(1)
    expect(mean).toBeGreaterThan(0.45)
    expect(mean).toBeLessThan(0.55)
  })
})
