import type { LossList } from '../../../canonical/loss.ts'
import { inputTokensOf, type Usage } from '../../../canonical/usage.ts'
import type { JsonObject } from '../../../kit/json/json.ts'

/** Usage in the format's own fields. Lifetimes of cache writes, billed tool calls and doubts cannot be carried. */
export function writeUsage(usage: Usage, losses: LossList): JsonObject {
  const { cacheWriteShortTokens, cacheWriteLongTokens, toolCalls, estimated } = usage
  if (cacheWriteLongTokens > 0 || Object.keys(toolCalls).length > 0 || estimated) {
    losses.add({ feature: 'usage-detail', kind: 'dropped' })
  }
  const input = inputTokensOf(usage)
  return {
    prompt_tokens: input,
    completion_tokens: usage.outputTokens,
    total_tokens: input + usage.outputTokens,
    prompt_tokens_details: {
      cached_tokens: usage.cacheReadTokens,
      cache_write_tokens: cacheWriteShortTokens + cacheWriteLongTokens,
      audio_tokens: usage.inputAudioTokens,
      image_tokens: usage.inputImageTokens,
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoningTokens,
      audio_tokens: usage.outputAudioTokens,
      accepted_prediction_tokens: usage.acceptedPredictionTokens,
      rejected_prediction_tokens: usage.rejectedPredictionTokens,
    },
  }
}
