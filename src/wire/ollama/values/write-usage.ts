import type { LossList } from '../../../canonical/loss.ts'
import { inputTokensOf, type Usage } from '../../../canonical/usage.ts'
import type { JsonObject } from '../../../kit/json/json.ts'

/** The two counts of the format. The parts that were cached, reasoning or sound are left out, declared. */
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
