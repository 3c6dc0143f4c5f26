import type { LossList } from '../../../canonical/loss.ts'
import { inputTokensOf, type Usage } from '../../../canonical/usage.ts'
import type { JsonObject } from '../../../kit/json/json.ts'

/**
 * Writes usage in the format's own fields (API_runtime_TokenUsage.html, seen 2026-11-25). Reasoning, audio and image
 * tokens, and tool calls, are left out, and the loss is declared.
 */
export function writeUsage(usage: Usage, losses: LossList): JsonObject {
  if (hasOtherParts(usage)) losses.lose('usage-detail', 'dropped')
  const { cacheReadTokens, cacheWriteShortTokens: short, cacheWriteLongTokens: long, outputTokens } = usage
  const details = [
    ...(short > 0 ? [{ ttl: '5m', inputTokens: short }] : []),
    ...(long > 0 ? [{ ttl: '1h', inputTokens: long }] : []),
  ]
  return {
    inputTokens: usage.freshInputTokens,
    outputTokens,
    totalTokens: inputTokensOf(usage) + outputTokens,
    ...(cacheReadTokens > 0 && { cacheReadInputTokens: cacheReadTokens }),
    ...(short + long > 0 && { cacheWriteInputTokens: short + long, cacheDetails: details }),
  }
}

function hasOtherParts(usage: Usage): boolean {
  const parts = [
    usage.reasoningTokens,
    usage.inputAudioTokens,
    usage.inputImageTokens,
    usage.outputAudioTokens,
    usage.outputImageTokens,
    usage.acceptedPredictionTokens,
    usage.rejectedPredictionTokens,
  ]
  return usage.isEstimated || parts.some((tokens) => tokens > 0) || Object.keys(usage.toolCalls).length > 0
}
