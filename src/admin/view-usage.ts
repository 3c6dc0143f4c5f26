import type { Usage } from '../canonical/usage.ts'
import type { UsageClassesView, UsageView } from './usage-fields.ts'

export function viewUsage(usage: Usage): UsageView {
  return { ...viewUsageClasses(usage), estimated: usage.isEstimated }
}

export function viewUsageClasses(usage: Omit<Usage, 'isEstimated'>): UsageClassesView {
  return {
    fresh_input_tokens: usage.freshInputTokens,
    cache_read_tokens: usage.cacheReadTokens,
    cache_write_short_tokens: usage.cacheWriteShortTokens,
    cache_write_long_tokens: usage.cacheWriteLongTokens,
    output_tokens: usage.outputTokens,
    reasoning_tokens: usage.reasoningTokens,
    input_audio_tokens: usage.inputAudioTokens,
    input_image_tokens: usage.inputImageTokens,
    cache_read_audio_tokens: usage.cacheReadAudioTokens,
    output_audio_tokens: usage.outputAudioTokens,
    output_image_tokens: usage.outputImageTokens,
    accepted_prediction_tokens: usage.acceptedPredictionTokens,
    rejected_prediction_tokens: usage.rejectedPredictionTokens,
    tool_calls: { ...usage.toolCalls },
  }
}
