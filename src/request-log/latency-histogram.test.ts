import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LATENCY_CLASSES, latencyAt, latencyClassOf, latencyEdgesMs } from './latency-histogram.ts'

function countsOf(times: readonly number[]): readonly number[] {
  const counts = new Array<number>(LATENCY_CLASSES).fill(0)
  for (const ms of times) {
    const index = latencyClassOf(ms)
    counts[index] = (counts[index] ?? 0) + 1
  }
  return counts
}

test('a percentile is in the latency class of the exact value', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 599_999 }), { minLength: 1, maxLength: 200 }),
      fc.constantFrom(0.5, 0.95, 0.99),
      (times, share) => {
        const exact = times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1] ?? 0
        const found = latencyAt(countsOf(times), share) ?? Number.NaN
        const index = latencyClassOf(exact)
        expect(found).toBeGreaterThanOrEqual(index === 0 ? 0 : (latencyEdgesMs[index - 1] ?? 0))
        expect(found).toBeLessThanOrEqual(latencyEdgesMs[index] ?? 0)
      },
    ),
  )
})

test('an empty histogram has no percentile, and no percentile is above the last edge', () => {
  expect(latencyAt(countsOf([]), 0.5)).toBeUndefined()
  expect(latencyAt(countsOf([2_000_000]), 0.5)).toBe(600_000)
})
