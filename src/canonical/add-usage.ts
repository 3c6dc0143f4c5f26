import type { Usage } from './usage.ts'

/** What two answers used together. */
export function addUsage(left: Usage, right: Usage): Usage {
  const toolCalls = { ...left.toolCalls }
  for (const [name, count] of Object.entries(right.toolCalls))
    toolCalls[name] = (toolCalls[name] ?? 0) + count
  return {
    freshInputTokens: left.freshInputTokens + right.freshInputTokens,
    cacheReadTokens: left.cacheReadTokens + right.cacheReadTokens,
    cacheWriteShortTokens: left.cacheWriteShortTokens + right.cacheWriteShortTokens,
    cacheWriteLongTokens: left.cacheWriteLongTokens + right.cacheWriteLongTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    reasoningTokens: left.reasoningTokens + right.reasoningTokens,
    inputAudioTokens: left.inputAudioTokens + right.inputAudioTokens,
    inputImageTokens: left.inputImageTokens + right.inputImageTokens,
    outputAudioTokens: left.outputAudioTokens + right.outputAudioTokens,
    acceptedPredictionTokens: left.acceptedPredictionTokens + right.acceptedPredictionTokens,
    rejectedPredictionTokens: left.rejectedPredictionTokens + right.rejectedPredictionTokens,
    toolCalls,
    estimated: left.estimated || right.estimated,
  }
}
