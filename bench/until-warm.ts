import { median } from './median.ts'

/** A process is warm once this many measurements in a row agree. */
const AGREEING = 3
const AGREE_WITHIN = 0.06
/** A machine that others use may never agree: the measurements end at this many times the least number. */
const MAX_FACTOR = 3

/** Measures the cost of the same work until it no longer falls, and returns it. */
export async function untilWarm(measure: () => Promise<number>, minMeasurements: number): Promise<number> {
  const costs: number[] = []
  while (costs.length < MAX_FACTOR * minMeasurements) {
    costs.push(await measure())
    const last = costs.slice(-AGREEING)
    const isFlat = Math.max(...last) / Math.min(...last) <= 1 + AGREE_WITHIN
    // The first ones can agree, too, before V8 compiles.
    if (costs.length >= minMeasurements && isFlat) return median(last)
  }
  return median(costs.slice(-AGREEING))
}
