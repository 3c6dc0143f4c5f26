import type { PriceHistory, PriceVersion } from './price.ts'

/** The version in force at a time. Undefined before the first version. */
export function priceAt(history: PriceHistory, nowMs: number): PriceVersion | undefined {
  // Almost always the last version is in force.
  const last = history.at(-1)
  if (last !== undefined && last.effectiveFromMs <= nowMs) return last
  return history.findLast(({ effectiveFromMs }) => effectiveFromMs <= nowMs)
}

/**
 * Merges two histories. The upper one is in force from its first version on, and the lower one until then. An upper
 * price without tools or regions uses those of the lower one.
 */
export function mergePriceHistories(
  above: PriceHistory | undefined,
  below: PriceHistory | undefined,
): PriceHistory | undefined {
  if (above === undefined || below === undefined) return above ?? below
  const completed = above.map((version) =>
    complete(version, priceAt(below, version.effectiveFromMs) ?? below[0]),
  )
  const begin = above[0].effectiveFromMs
  const [first, ...others] = [...below.filter(({ effectiveFromMs }) => effectiveFromMs < begin), ...completed]
  return first === undefined ? above : [first, ...others]
}

function complete(above: PriceVersion, below: PriceVersion): PriceVersion {
  const regionPpm = above.regionPpm ?? below.regionPpm
  const toolsByAnswer = above.toolsByAnswer ?? below.toolsByAnswer
  const minCalls = above.minCalls ?? below.minCalls
  const cachesMarkedOnly = above.cachesMarkedOnly ?? below.cachesMarkedOnly
  return {
    ...above,
    toolCalls: { ...below.toolCalls, ...above.toolCalls },
    ...(regionPpm !== undefined && { regionPpm }),
    ...(toolsByAnswer !== undefined && { toolsByAnswer }),
    ...(minCalls !== undefined && { minCalls }),
    ...(cachesMarkedOnly !== undefined && { cachesMarkedOnly }),
  }
}
