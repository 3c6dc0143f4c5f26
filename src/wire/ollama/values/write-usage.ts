import type { LossList } from '../../../canonical/loss.ts'
import { inputTokensOf, type Usage } from '../../../canonical/usage.ts'
import type { JsonObject } from '../../../kit/json/json.ts'

/**
 * Writes the two counts of the format. The shares of cached, reasoning and audio tokens are left out, which is
 * declared.
 */
export function writeUsage(usage: Usage | undefined, losses: LossList): JsonObject {
  if (usage === undefined) return {}
  if (hasParts(usage)) losses.lose('usage-detail', 'dropped')
  return { prompt_eval_count: inputTokensOf(usage), eval_count: usage.outputTokens }
}

function hasParts(usage: Usage): boolean {
  const { freshInputTokens: _fresh, outputTokens: _output, toolCalls, ...others } = usage
  const isSplit = Object.values(others).some((part) => typeof part === 'number' && part > 0)
  return isSplit || usage.isEstimated || Object.keys(toolCalls).length > 0
}
