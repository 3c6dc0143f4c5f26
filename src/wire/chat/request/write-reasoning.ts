import type { ChatRequest, Effort, Reasoning } from '../../../canonical/request.ts'
import { unreachable } from '../../../kit/errors/unreachable.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { isReasoningOff } from '../../fields/is-reasoning-off.ts'
import { nearestEffort } from '../../fields/nearest-effort.ts'
import type { WriteContext } from './write-context.ts'

/** The maximum thinking tokens for each effort, where an effort replaces a budget. A larger budget becomes `high`. */
const effortOfBudget: readonly (readonly [number, Effort])[] = [
  [1024, 'minimal'],
  [4096, 'low'],
  [16_384, 'medium'],
]

/** Writes the amount of reasoning in the dialect's form: an effort, a switch, or both. */
export function writeReasoning(
  { reasoning, tools }: Pick<ChatRequest, 'reasoning' | 'tools'>,
  context: WriteContext,
): JsonObject {
  const { dialect } = context
  if (dialect.reasoningWithTools === 'none' && tools !== undefined && tools.length > 0) {
    if (reasoning !== undefined && reasoning.effort !== 'none')
      context.losses.lose('reasoning-effort', 'dropped')
    return { reasoning_effort: 'none' }
  }
  if (reasoning === undefined) return {}
  if (reasoning.display !== undefined) context.losses.lose('reasoning-display', 'dropped')
  switch (dialect.reasoning) {
    case 'none':
      loseAll(reasoning, context)
      return {}
    case 'effort':
      return writeEffort(reasoning, context)
    case 'thinking':
      return writeSwitch(reasoning, 'enabled', context)
    case 'adaptive_thinking':
      return writeSwitch(reasoning, 'adaptive', context)
    case 'enable_thinking':
      return writeEnabling(reasoning, context)
    default:
      return unreachable(dialect.reasoning)
  }
}

function loseAll({ mode, budgetTokens, effort }: Reasoning, context: WriteContext): void {
  if (mode !== undefined) context.losses.lose('thinking-mode', 'dropped')
  if (budgetTokens !== undefined) context.losses.lose('reasoning-budget', 'dropped')
  if (effort !== undefined) context.losses.lose('reasoning-effort', 'dropped')
}

function writeEffort(reasoning: Reasoning, context: WriteContext): JsonObject {
  if (reasoning.mode !== undefined) context.losses.lose('thinking-mode', 'approximated')
  if (reasoning.budgetTokens !== undefined) context.losses.lose('reasoning-budget', 'approximated')
  const requestedEffort = effortFor(reasoning)
  return requestedEffort === undefined ? {} : writeWord(requestedEffort, reasoning, context)
}

function writeWord(requestedEffort: Effort, reasoning: Reasoning, context: WriteContext): JsonObject {
  const word = nearestEffort(requestedEffort, context.dialect.efforts)
  if (word !== requestedEffort && reasoning.effort !== undefined) {
    context.losses.lose('reasoning-effort', word === undefined ? 'dropped' : 'approximated')
  }
  return word === undefined ? {} : { reasoning_effort: word }
}

/** Writes a switch, and an effort next to it where the model accepts one. */
function writeSwitch(
  reasoning: Reasoning,
  onWord: 'enabled' | 'adaptive',
  context: WriteContext,
): JsonObject {
  const { mode, budgetTokens } = reasoning
  if (budgetTokens !== undefined) context.losses.lose('reasoning-budget', 'approximated')
  if (isReasoningOff(reasoning)) return { thinking: { type: 'disabled' } }
  if (mode === 'adaptive' || mode === 'between-tools') context.losses.lose('thinking-mode', 'approximated')
  const type = { thinking: { type: onWord } }
  const requestedEffort = effortFor(reasoning)
  return requestedEffort === undefined ? type : { ...type, ...writeWord(requestedEffort, reasoning, context) }
}

/** Writes a switch that has a budget in tokens. */
function writeEnabling(reasoning: Reasoning, context: WriteContext): JsonObject {
  const { mode, budgetTokens, effort } = reasoning
  if (isReasoningOff(reasoning)) return { enable_thinking: false }
  if (mode === 'adaptive' || mode === 'between-tools') context.losses.lose('thinking-mode', 'approximated')
  if (effort !== undefined) context.losses.lose('reasoning-effort', 'approximated')
  return budgetTokens === undefined
    ? { enable_thinking: true }
    : { enable_thinking: true, thinking_budget: budgetTokens }
}

/** Returns the effort to send; undefined where the model decides by itself (`adaptive`). */
function effortFor({ mode, effort, budgetTokens }: Reasoning): Effort | undefined {
  if (mode === 'off') return 'none'
  if (effort !== undefined) return effort
  if (budgetTokens !== undefined) {
    return effortOfBudget.find(([limit]) => budgetTokens <= limit)?.[1] ?? 'high'
  }
  return mode === 'on' ? 'medium' : undefined
}
