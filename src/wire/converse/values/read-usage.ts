import { noUsage, type Usage } from '../../../canonical/usage.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'

interface Counter {
  isSuspect: boolean
}

/**
 * Usage as disjoint classes. `inputTokens` counts neither cache reads nor writes, so that the three and the output are
 * `totalTokens` (API_runtime_TokenUsage.html, seen 2026-11-20). Numbers that no count can be are clamped and flagged,
 * and so is the lack of a count.
 */
export function readUsage(value: JsonValue | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined
  const counter: Counter = { isSuspect: isAbsent(value['inputTokens']) || isAbsent(value['outputTokens']) }
  const usage = {
    ...noUsage,
    freshInputTokens: count(value['inputTokens'], counter),
    // Older answers have the longer name beside this one, or alone.
    cacheReadTokens: count(value['cacheReadInputTokens'] ?? value['cacheReadInputTokenCount'], counter),
    ...readCacheWrites(value, counter),
    outputTokens: count(value['outputTokens'], counter),
    toolCalls: readToolCalls(value['serverToolUsage'], counter),
  }
  return { ...usage, isEstimated: counter.isSuspect }
}

function readCacheWrites(usage: JsonObject, counter: Counter) {
  const details = isJsonArray(usage['cacheDetails']) ? usage['cacheDetails'].filter(isJsonObject) : []
  const long = details
    .filter(({ ttl }) => ttl === '1h')
    .reduce((sum, { inputTokens }) => sum + count(inputTokens, counter), 0)
  const total = count(usage['cacheWriteInputTokens'] ?? usage['cacheWriteInputTokenCount'], counter)
  const cacheWriteLongTokens = Math.min(long, total)
  return { cacheWriteShortTokens: total - cacheWriteLongTokens, cacheWriteLongTokens }
}

function readToolCalls(value: JsonValue | undefined, counter: Counter): Readonly<Record<string, number>> {
  const counted = isJsonObject(value) ? Object.entries(value) : []
  return Object.fromEntries(
    counted.map(([name, number]) => [name, count(number, counter)] as const).filter(([, times]) => times > 0),
  )
}

function count(value: JsonValue | undefined, counter: Counter): number {
  if (isAbsent(value)) return 0
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  counter.isSuspect = true
  if (typeof value !== 'number' || !(value > 0)) return 0
  return Math.min(Math.ceil(value), Number.MAX_SAFE_INTEGER)
}

function isAbsent(value: JsonValue | undefined): value is null | undefined {
  return value === undefined || value === null
}
