import type { LossList } from '../../../canonical/loss.ts'
import { inputTokensOf, type Usage } from '../../../canonical/usage.ts'
import type { JsonObject } from '../../../kit/json/json.ts'

/** Writes usage in the format's own fields. Thoughts are counted apart from the candidates. Zeros are left out. */
export function writeUsage(usage: Usage, losses: LossList): JsonObject {
  if (hasUnnamedParts(usage)) losses.lose('usage-detail', 'dropped')
  const input = inputTokensOf(usage)
  const { cacheReadTokens, outputTokens, reasoningTokens } = usage
  const said = outputTokens - reasoningTokens
  return {
    promptTokenCount: input,
    ...(cacheReadTokens === 0 ? {} : { cachedContentTokenCount: cacheReadTokens }),
    candidatesTokenCount: said,
    ...(reasoningTokens === 0 ? {} : { thoughtsTokenCount: reasoningTokens }),
    totalTokenCount: input + outputTokens,
    ...writeDetails('promptTokensDetails', input, {
      AUDIO: usage.inputAudioTokens,
      IMAGE: usage.inputImageTokens,
    }),
    ...writeDetails('cacheTokensDetails', cacheReadTokens, { AUDIO: usage.cacheReadAudioTokens }),
    ...writeDetails('candidatesTokensDetails', said, {
      AUDIO: usage.outputAudioTokens,
      IMAGE: usage.outputImageTokens,
    }),
  }
}

/** Writes a count by modality: tokens of no named modality are text. Empty if all tokens are text. */
function writeDetails(name: string, all: number, parts: Readonly<Record<string, number>>): JsonObject {
  const named = Object.entries(parts).filter(([, tokenCount]) => tokenCount > 0)
  if (named.length === 0) return {}
  const rest = named.reduce((left, [, tokenCount]) => left - tokenCount, all)
  const text = rest > 0 ? [{ modality: 'TEXT', tokenCount: rest }] : []
  return { [name]: [...text, ...named.map(([modality, tokenCount]) => ({ modality, tokenCount }))] }
}

/** Whether the usage has parts that the format does not count separately. */
function hasUnnamedParts(usage: Usage): boolean {
  const parts = [
    usage.cacheWriteShortTokens,
    usage.cacheWriteLongTokens,
    usage.acceptedPredictionTokens,
    usage.rejectedPredictionTokens,
  ]
  return usage.isEstimated || parts.some((tokens) => tokens > 0) || Object.keys(usage.toolCalls).length > 0
}
