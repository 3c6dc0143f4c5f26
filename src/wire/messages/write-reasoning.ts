import type { LossList } from '../../canonical/loss.ts'
import type { Effort, Reasoning } from '../../canonical/request.ts'
import type { JsonObject } from '../../kit/json.ts'

/** The `thinking` field and the effort, as parts of the body and of its `output_config`. */
export interface WrittenReasoning {
  readonly body: JsonObject
  readonly outputConfig: JsonObject
}

export function writeReasoning(reasoning: Reasoning | undefined, losses: LossList): WrittenReasoning {
  if (reasoning === undefined) return { body: {}, outputConfig: {} }
  const thinking = writeThinking(reasoning, losses)
  const effort = writeEffort(reasoning.effort, losses)
  return {
    body: thinking === undefined ? {} : { thinking },
    outputConfig: effort === undefined ? {} : { effort },
  }
}

function writeThinking(reasoning: Reasoning, losses: LossList): JsonObject | undefined {
  const type = writeMode(reasoning, losses)
  const { budgetTokens, display } = reasoning
  const isShown = type === 'enabled' || type === 'adaptive'
  if (display !== undefined && !isShown) losses.add({ feature: 'reasoning-display', kind: 'dropped' })
  if (budgetTokens !== undefined && type !== 'enabled') {
    losses.add({ feature: 'reasoning-budget', kind: 'dropped' })
  }
  if (type === undefined) return undefined
  return {
    type,
    ...(budgetTokens === undefined || type !== 'enabled' ? {} : { budget_tokens: budgetTokens }),
    ...(display === undefined || !isShown ? {} : { display }),
  }
}

/** A budget alone asks for thinking; thinking that is merely on, without a budget, is left to the model to measure. */
function writeMode({ mode, effort, budgetTokens }: Reasoning, losses: LossList): string | undefined {
  switch (mode) {
    case 'off':
      return 'disabled'
    case 'adaptive':
      return 'adaptive'
    case 'between-tools':
      return 'between_tools'
    case 'on':
      if (budgetTokens !== undefined) return 'enabled'
      losses.add({ feature: 'thinking-mode', kind: 'approximated' })
      return 'adaptive'
    default:
      if (effort === 'none') return 'disabled'
      if (budgetTokens === undefined) return undefined
      losses.add({ feature: 'thinking-mode', kind: 'defaulted' })
      return 'enabled'
  }
}

/** The format's least effort is `low`; none at all is said by the thinking mode. */
function writeEffort(effort: Effort | undefined, losses: LossList): string | undefined {
  if (effort !== 'none' && effort !== 'minimal') return effort
  losses.add({ feature: 'reasoning-effort', kind: 'approximated' })
  return effort === 'minimal' ? 'low' : undefined
}
