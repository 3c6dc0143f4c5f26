/**
 * The upper bounds of the classes of a histogram, in milliseconds. One more class holds all times above the last
 * bound.
 */
export const latencyEdgesMs = [
  5, 10, 20, 30, 50, 75, 100, 150, 200, 300, 400, 500, 750, 1_000, 1_500, 2_000, 3_000, 4_000, 5_000, 7_500,
  10_000, 15_000, 20_000, 30_000, 45_000, 60_000, 90_000, 120_000, 180_000, 300_000, 600_000,
] as const

export const LATENCY_CLASSES = latencyEdgesMs.length + 1

/** The index of the histogram class of a time, from 0. */
export function latencyClassOf(ms: number): number {
  const above = latencyEdgesMs.findIndex((edgeMs) => ms < edgeMs)
  return above === -1 ? latencyEdgesMs.length : above
}

/**
 * The latency percentile in milliseconds: the time that the given share of the requests stayed below. Undefined where
 * there are no requests. Times are assumed to be spread evenly within a class. Above the last edge the result is that
 * edge, since nothing more precise is known.
 */
export function latencyAt(counts: readonly number[], share: number): number | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return undefined
  let left = share * total
  for (const [index, count] of counts.entries()) {
    if (count > 0 && left <= count) return spreadWithin(index, left / count)
    left -= count
  }
  return latencyEdgesMs.at(-1)
}

function spreadWithin(index: number, share: number): number {
  const last = latencyEdgesMs.at(-1) ?? 0
  const from = index === 0 ? 0 : (latencyEdgesMs[index - 1] ?? last)
  const to = latencyEdgesMs[index] ?? last
  return Math.round(from + (to - from) * share)
}
