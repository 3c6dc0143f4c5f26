import type { LossList } from '../../../canonical/loss.ts'
import { inputTokensOf, type Usage } from '../../../canonical/usage.ts'
import type { JsonObject } from '../../../kit/json/json.ts'

/**
 * Writes usage in the format's own fields. The lifetime of cache writes, cached audio, billed tool calls and whether
 * counts are estimates cannot be carried.
 */
export function writeUsage(usage: Usage, losses: LossList): JsonObject {
  const { cacheWriteShortTokens, cacheWriteLongTokens, cacheReadAudioTokens } = usage
  const hasCalls = Object.keys(usage.toolCalls).length > 0
  if (cacheWriteLongTokens > 0 || cacheReadAudioTokens > 0 || hasCalls || usage.isEstimated) {
    losses.lose('usage-detail', 'dropped')
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
      // OpenAI has no such field, but gateways in front of models that answer with images do.
      ...(usage.outputImageTokens > 0 && { image_tokens: usage.outputImageTokens }),
      accepted_prediction_tokens: usage.acceptedPredictionTokens,
      rejected_prediction_tokens: usage.rejectedPredictionTokens,
    },
  }
}
