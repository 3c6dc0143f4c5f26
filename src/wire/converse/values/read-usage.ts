import { noUsage, type Usage } from '../../../canonical/usage.ts'
import { isJsonObject, type JsonObject, type JsonValue, objectsIn } from '../../../kit/json/json.ts'
import { UsageCounter } from '../../fields/usage-counter.ts'

/**
 * Usage as disjoint classes. `inputTokens` counts neither cache reads nor writes, so the three and the output add up to
 * `totalTokens` (API_runtime_TokenUsage.html, seen 2026-11-20). Invalid counts are clamped, and the usage is flagged as
 * estimated. It is flagged too if a count is missing.
 */
export function readUsage(value: JsonValue | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined
  const counter = new UsageCounter(isAbsent(value['inputTokens']) || isAbsent(value['outputTokens']))
  const usage = {
    ...noUsage,
    freshInputTokens: counter.count(value['inputTokens']),
    // Older answers have the longer name, with or without this name.
    cacheReadTokens: counter.count(value['cacheReadInputTokens'] ?? value['cacheReadInputTokenCount']),
    ...readCacheWrites(value, counter),
    outputTokens: counter.count(value['outputTokens']),
    toolCalls: readToolCalls(value['serverToolUsage'], counter),
  }
  return { ...usage, isEstimated: counter.isEstimated }
}

function readCacheWrites(usage: JsonObject, counter: UsageCounter) {
  const details = objectsIn(usage['cacheDetails'])
  const long = details
    .filter(({ ttl }) => ttl === '1h')
    .reduce((sum, { inputTokens }) => sum + counter.count(inputTokens), 0)
  const total = counter.count(usage['cacheWriteInputTokens'] ?? usage['cacheWriteInputTokenCount'])
  const cacheWriteLongTokens = Math.min(long, total)
  return { cacheWriteShortTokens: total - cacheWriteLongTokens, cacheWriteLongTokens }
}

function readToolCalls(
  value: JsonValue | undefined,
  counter: UsageCounter,
): Readonly<Record<string, number>> {
  const counted = isJsonObject(value) ? Object.entries(value) : []
  return Object.fromEntries(
    counted.map(([name, number]) => [name, counter.count(number)] as const).filter(([, times]) => times > 0),
  )
}

function isAbsent(value: JsonValue | undefined): value is null | undefined {
  return value === undefined || value === null
}
