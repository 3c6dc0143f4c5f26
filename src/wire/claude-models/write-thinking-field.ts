import type { LossList } from '../../canonical/loss.ts'
import type { Reasoning } from '../../canonical/request.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import type { ThinkingPlan } from './plan-thinking.ts'

/** The `thinking` field and the effort, as parts of the body and of its `output_config`. */
export interface WrittenThinking {
  readonly body: JsonObject
  readonly outputConfig: JsonObject
}

export function writeThinkingField(
  plan: ThinkingPlan,
  reasoning: Reasoning | undefined,
  losses: LossList,
): WrittenThinking {
  const { type, budgetTokens, effort } = plan
  const display = writeDisplay(plan, reasoning, losses)
  if (type === undefined) return { body: {}, outputConfig: effort === undefined ? {} : { effort } }
  const thinking = {
    type,
    ...(budgetTokens === undefined ? {} : { budget_tokens: budgetTokens }),
    ...(display === undefined ? {} : { display }),
  }
  return { body: { thinking }, outputConfig: effort === undefined ? {} : { effort } }
}

function writeDisplay(
  { type }: ThinkingPlan,
  reasoning: Reasoning | undefined,
  losses: LossList,
): string | undefined {
  const isShown = type === 'enabled' || type === 'adaptive'
  if (reasoning?.display === undefined || isShown) return reasoning?.display
  losses.lose('reasoning-display', 'dropped')
  return undefined
}
