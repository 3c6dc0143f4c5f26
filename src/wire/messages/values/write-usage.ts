import type { Extras } from '../../../canonical/format.ts'
import type { LossList } from '../../../canonical/loss.ts'
import { noUsage, type Usage } from '../../../canonical/usage.ts'
import { isJsonObject, type JsonObject } from '../../../kit/json/json.ts'
import { readSummaries } from './read-usage.ts'

/**
 * Writes the usage of a whole answer. The format requires it: if unknown, its counters are zero, and that is declared.
 */
export function writeUsage(usage: Usage | undefined, losses: LossList): JsonObject {
  if (usage === undefined) losses.lose('usage-detail', 'defaulted')
  else declareParts(usage, losses)
  const stated = usage ?? noUsage
  return {
    ...writeCounters(stated),
    cache_creation: writeCacheCreation(stated),
    output_tokens_details: writeOutputDetails(stated),
    server_tool_use: writeToolCalls(stated),
    service_tier: null,
    inference_geo: null,
    speed: null,
  }
}

/** Writes the usage at the end of a stream, which replaces the zeros at its start. */
export function writeDeltaUsage(usage: Usage | undefined, losses: LossList): JsonObject {
  const whole = writeUsage(usage, losses)
  return {
    ...writeCounters(usage ?? noUsage),
    output_tokens_details: whole['output_tokens_details'] ?? null,
    server_tool_use: whole['server_tool_use'] ?? null,
    // The format names the parts only at the start. Here they appear only if the total is not precise enough.
    ...(usage !== undefined && usage.cacheWriteLongTokens > 0
      ? { cache_creation: whole['cache_creation'] ?? null }
      : {}),
  }
}

/**
 * Subtracts from the totals the tokens that the service used for summaries, because the format reports these in a field
 * of their own. The inverse of the addition in `readUsage`.
 */
export function withoutSummaries(
  usage: Usage | undefined,
  ...extras: readonly (Extras | undefined)[]
): Usage | undefined {
  const summaries = extras.map(summariesIn).find((found) => found !== undefined)
  if (usage === undefined || summaries === undefined) return usage
  const rest = (whole: number, part: number) => Math.max(0, whole - part)
  return {
    ...usage,
    freshInputTokens: rest(usage.freshInputTokens, summaries.freshInputTokens),
    cacheReadTokens: rest(usage.cacheReadTokens, summaries.cacheReadTokens),
    cacheWriteShortTokens: rest(usage.cacheWriteShortTokens, summaries.cacheWriteShortTokens),
    cacheWriteLongTokens: rest(usage.cacheWriteLongTokens, summaries.cacheWriteLongTokens),
    outputTokens: rest(usage.outputTokens, summaries.outputTokens),
    reasoningTokens: rest(usage.reasoningTokens, summaries.reasoningTokens),
  }
}

function summariesIn(extras: Extras | undefined): Usage | undefined {
  const named = extras?.format === 'messages' ? extras.fields['usage'] : undefined
  return isJsonObject(named) ? readSummaries(named) : undefined
}

function writeCounters(usage: Usage): JsonObject {
  return {
    input_tokens: usage.freshInputTokens,
    cache_creation_input_tokens: usage.cacheWriteShortTokens + usage.cacheWriteLongTokens,
    cache_read_input_tokens: usage.cacheReadTokens,
    output_tokens: usage.outputTokens,
  }
}

function writeCacheCreation(usage: Usage): JsonObject {
  return {
    ephemeral_5m_input_tokens: usage.cacheWriteShortTokens,
    ephemeral_1h_input_tokens: usage.cacheWriteLongTokens,
  }
}

function writeOutputDetails(usage: Usage): JsonObject | null {
  return usage.reasoningTokens > 0 ? { thinking_tokens: usage.reasoningTokens } : null
}

function writeToolCalls(usage: Usage): JsonObject | null {
  if (Object.keys(usage.toolCalls).length === 0) return null
  const { web_search: searches = 0, web_fetch: fetches = 0, ...others } = usage.toolCalls
  return { web_fetch_requests: fetches, web_search_requests: searches, ...others }
}

/** Declares the usage parts that the format does not count separately. */
function declareParts(usage: Usage, losses: LossList): void {
  const parts = [
    usage.inputAudioTokens,
    usage.inputImageTokens,
    usage.cacheReadAudioTokens,
    usage.outputAudioTokens,
    usage.outputImageTokens,
    usage.acceptedPredictionTokens,
    usage.rejectedPredictionTokens,
  ]
  if (parts.some((tokens) => tokens > 0)) losses.lose('usage-detail', 'dropped')
  if (usage.isEstimated) losses.lose('usage-detail', 'dropped', 'estimated')
}
