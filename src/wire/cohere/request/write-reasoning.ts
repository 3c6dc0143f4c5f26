import type { Effort, Reasoning } from '../../../canonical/request.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { isReasoningOff } from '../../fields/is-reasoning-off.ts'
import type { WriteContext } from './write-context.ts'

/** The thinking tokens for each effort. Higher efforts have no limit. */
const budgetOf: Readonly<Partial<Record<Effort, number>>> = { minimal: 1024, low: 4096, medium: 16_384 }

/** Writes thinking, which is a switch with a token budget (https://docs.cohere.com/docs/reasoning, seen 2026-11-20). */
export function writeReasoning(reasoning: Reasoning | undefined, context: WriteContext): JsonObject {
  if (reasoning === undefined) return {}
  const { mode, effort, budgetTokens, display } = reasoning
  if (display !== undefined) context.losses.lose('reasoning-display', 'dropped')
  if (context.dialect.reasoning === 'none') {
    loseAll(reasoning, context)
    return {}
  }
  if (isReasoningOff(reasoning)) return { thinking: { type: 'disabled' } }
  if (mode === 'adaptive' || mode === 'between-tools') context.losses.lose('thinking-mode', 'approximated')
  if (effort !== undefined) context.losses.lose('reasoning-effort', 'approximated')
  const budget = budgetTokens ?? (effort === undefined ? undefined : budgetOf[effort])
  return { thinking: { type: 'enabled', ...(budget === undefined ? {} : { token_budget: budget }) } }
}

/**
 * Declares the reasoning settings as lost. A model that cannot think refuses the field. Turning thinking off is no
 * loss.
 */
function loseAll(reasoning: Reasoning, context: WriteContext): void {
  if (isReasoningOff(reasoning)) return
  if (reasoning.mode !== undefined) context.losses.lose('thinking-mode', 'dropped')
  if (reasoning.budgetTokens !== undefined) context.losses.lose('reasoning-budget', 'dropped')
  if (reasoning.effort !== undefined) context.losses.lose('reasoning-effort', 'dropped')
}
