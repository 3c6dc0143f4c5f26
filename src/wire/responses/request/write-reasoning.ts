import type { Effort, Reasoning } from '../../../canonical/request.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { nearestEffort } from '../../fields/nearest-effort.ts'
import type { WriteContext } from './write-context.ts'

/** The maximum thinking tokens for each effort, where an effort replaces a budget. A larger budget becomes `high`. */
const effortOfBudget: readonly (readonly [number, Effort])[] = [
  [1024, 'minimal'],
  [4096, 'low'],
  [16_384, 'medium'],
]

export function writeReasoning(
  reasoning: Reasoning | undefined,
  { dialect, losses }: WriteContext,
): JsonObject | undefined {
  if (reasoning === undefined) return undefined
  const { mode, budgetTokens, effort, display } = reasoning
  if (dialect.reasoning === 'none') {
    if (mode !== undefined) losses.lose('thinking-mode', 'dropped')
    if (budgetTokens !== undefined) losses.lose('reasoning-budget', 'dropped')
    if (effort !== undefined) losses.lose('reasoning-effort', 'dropped')
    if (display === 'summarized') losses.lose('reasoning-display', 'dropped')
    return undefined
  }
  if (mode !== undefined) losses.lose('thinking-mode', 'approximated')
  if (budgetTokens !== undefined) losses.lose('reasoning-budget', 'approximated')
  const requestedEffort = effortFor(reasoning)
  const word = requestedEffort === undefined ? undefined : nearestEffort(requestedEffort, dialect.efforts)
  if (word !== requestedEffort && effort !== undefined) {
    losses.lose('reasoning-effort', word === undefined ? 'dropped' : 'approximated')
  }
  // Without a summary, the format does not show reasoning. The display `omitted` asks for the same.
  const written = omitUndefined({ effort: word, summary: display === 'summarized' ? 'auto' : undefined })
  return Object.keys(written).length === 0 ? undefined : written
}

/** Returns the effort to send; undefined where the model decides by itself (`adaptive`). */
function effortFor({ mode, effort, budgetTokens }: Reasoning): Effort | undefined {
  if (mode === 'off') return 'none'
  if (effort !== undefined) return effort
  if (budgetTokens === undefined) return mode === 'on' ? 'medium' : undefined
  return effortOfBudget.find(([limit]) => budgetTokens <= limit)?.[1] ?? 'high'
}
