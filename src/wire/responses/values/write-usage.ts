import type { LossList } from '../../../canonical/loss.ts'
import { inputTokensOf, type Usage } from '../../../canonical/usage.ts'
import type { JsonObject } from '../../../kit/json/json.ts'

/** Writes usage in the format's own fields. */
export function writeUsage(usage: Usage, losses: LossList): JsonObject {
  if (hasUnnamedParts(usage)) losses.lose('usage-detail', 'dropped')
  const input = inputTokensOf(usage)
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: usage.cacheReadTokens,
      cache_write_tokens: usage.cacheWriteShortTokens + usage.cacheWriteLongTokens,
    },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: input + usage.outputTokens,
  }
}

/** Whether the usage has counts for which the format has no separate field. */
function hasUnnamedParts(usage: Usage): boolean {
  const parts = [
    usage.cacheWriteLongTokens,
    usage.inputAudioTokens,
    usage.inputImageTokens,
    usage.cacheReadAudioTokens,
    usage.outputAudioTokens,
    usage.outputImageTokens,
    usage.acceptedPredictionTokens,
    usage.rejectedPredictionTokens,
  ]
  return usage.isEstimated || parts.some((tokens) => tokens > 0) || Object.keys(usage.toolCalls).length > 0
}
