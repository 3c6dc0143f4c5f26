import type { Effort, Reasoning } from '../../../canonical/request.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { nearestEffort } from '../../fields/nearest-effort.ts'
import type { WriteContext } from './write-context.ts'

/** The thinking tokens up to which an effort replaces a budget; above the last, `high`. */
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
  const asked = effortFor(reasoning)
  const word = asked === undefined ? undefined : nearestEffort(asked, dialect.efforts)
  if (word !== asked && effort !== undefined) {
    losses.lose('reasoning-effort', word === undefined ? 'dropped' : 'approximated')
  }
  // The format hides its reasoning without a summary, which is what `omitted` asks for.
  const written = omitUndefined({ effort: word, summary: display === 'summarized' ? 'auto' : undefined })
  return Object.keys(written).length === 0 ? undefined : written
}

/** The effort to send; none where the model decides for itself (`adaptive`). */
function effortFor({ mode, effort, budgetTokens }: Reasoning): Effort | undefined {
  if (mode === 'off') return 'none'
  if (effort !== undefined) return effort
  if (budgetTokens === undefined) return mode === 'on' ? 'medium' : undefined
  return effortOfBudget.find(([limit]) => budgetTokens <= limit)?.[1] ?? 'high'
}
