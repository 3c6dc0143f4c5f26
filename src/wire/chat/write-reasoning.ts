import type { ChatRequest, Effort, Reasoning } from '../../canonical/request.ts'
import type { JsonObject } from '../../kit/json.ts'
import { lose, type WriteContext } from './write-context.ts'

/** Up to how many thinking tokens an effort stands for a budget; above the last, `high`. */
const effortOfBudget: readonly (readonly [number, Effort])[] = [
  [1024, 'minimal'],
  [4096, 'low'],
  [16_384, 'medium'],
]

/** How much to reason, which this format says as an effort alone. */
export function writeReasoning(
  { reasoning, tools }: Pick<ChatRequest, 'reasoning' | 'tools'>,
  context: WriteContext,
): JsonObject {
  if (context.dialect.reasoningWithTools === 'none' && tools !== undefined && tools.length > 0) {
    if (reasoning !== undefined && reasoning.effort !== 'none') lose(context, 'reasoning-effort', 'dropped')
    return { reasoning_effort: 'none' }
  }
  if (reasoning === undefined) return {}
  const { mode, effort, budgetTokens, display } = reasoning
  const isSpoken = context.dialect.reasoning === 'effort'
  if (display !== undefined) lose(context, 'reasoning-display', 'dropped')
  const kind = isSpoken ? 'approximated' : 'dropped'
  if (mode !== undefined) lose(context, 'thinking-mode', kind)
  if (budgetTokens !== undefined) lose(context, 'reasoning-budget', kind)
  if (!isSpoken && effort !== undefined) lose(context, 'reasoning-effort', kind)
  if (!isSpoken) return {}
  const word = effortFor(reasoning)
  return word === undefined ? {} : { reasoning_effort: word }
}

/** Where the model decides for itself (`adaptive`) nothing is said. */
function effortFor({ mode, effort, budgetTokens }: Reasoning): Effort | undefined {
  if (mode === 'off') return 'none'
  if (effort !== undefined) return effort
  if (budgetTokens !== undefined) {
    return effortOfBudget.find(([limit]) => budgetTokens <= limit)?.[1] ?? 'high'
  }
  return mode === 'on' ? 'medium' : undefined
}
