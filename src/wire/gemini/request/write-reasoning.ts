import type { LossList } from '../../../canonical/loss.ts'
import type { Effort, Reasoning } from '../../../canonical/request.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import type { Dialect, GeminiModel } from '../../dialect.ts'
import { nearestEffort } from '../../fields/nearest-effort.ts'

interface ThinkingTarget {
  readonly dialect: Dialect
  readonly losses: LossList
}

/**
 * Writes `thinkingConfig`: a level or a budget, never both, since the service refuses both together
 * (https://ai.google.dev/gemini-api/docs/thinking, seen 2026-11-20). Undefined if nothing needs to be sent.
 */
export function writeReasoning(
  reasoning: Reasoning | undefined,
  { dialect, losses }: ThinkingTarget,
): JsonObject | undefined {
  if (reasoning === undefined) return undefined
  const model = dialect.geminiModel
  if (model?.thinking === 'none') {
    loseAll(reasoning, losses)
    return undefined
  }
  const measure =
    model === undefined ? writeUnfitted(reasoning, losses) : measureFor(reasoning, model, losses)
  const written = { ...measure, ...writeDisplay(reasoning, losses) }
  return Object.keys(written).length === 0 ? undefined : written
}

function loseAll({ mode, effort, budgetTokens, display }: Reasoning, losses: LossList): void {
  if (effort !== undefined && effort !== 'none') losses.lose('reasoning-effort', 'dropped')
  if (mode !== undefined && mode !== 'off') losses.lose('thinking-mode', 'dropped')
  if (budgetTokens !== undefined) losses.lose('reasoning-budget', 'dropped')
  if (display === 'summarized') losses.lose('reasoning-display', 'dropped')
}

/** The service sends thoughts only on request. In other formats, callers that turn thinking on get the thoughts. */
function writeDisplay({ mode, display }: Reasoning, losses: LossList): JsonObject {
  if (display !== undefined) return { includeThoughts: display === 'summarized' }
  if (mode === undefined || mode === 'off') return {}
  losses.lose('reasoning-display', 'defaulted')
  return { includeThoughts: true }
}

const OFF = { thinkingBudget: 0 }
const DYNAMIC = { thinkingBudget: -1 }

/** The thinking levels of the format. */
const levels: readonly Effort[] = ['minimal', 'low', 'medium', 'high']

/** The settings for an unknown model: the request's own budget or effort, not fitted to a model. */
function writeUnfitted(reasoning: Reasoning, losses: LossList): JsonObject {
  const { mode, effort, budgetTokens } = reasoning
  if (isOff(reasoning)) return declareOff(reasoning, losses)
  if (budgetTokens !== undefined) {
    if (effort !== undefined) losses.lose('reasoning-effort', 'approximated')
    declareMode(mode, losses)
    return { thinkingBudget: budgetTokens }
  }
  if (effort === undefined && mode === 'adaptive') return DYNAMIC
  declareMode(mode, losses)
  return effort === undefined ? leaveOpen(reasoning, losses) : levelOf(effort, levels, losses)
}

function measureFor(reasoning: Reasoning, model: GeminiModel, losses: LossList): JsonObject {
  const { mode, effort, budgetTokens } = reasoning
  if (isOff(reasoning)) {
    if (model.canDisableThinking) return declareOff(reasoning, losses)
    losses.lose('thinking-mode', 'approximated')
    return model.thinking === 'level'
      ? levelOf('minimal', model.levels, losses)
      : { thinkingBudget: model.budget[0] }
  }
  if (effort === undefined && budgetTokens === undefined) {
    if (mode === 'adaptive') return DYNAMIC
    declareMode(mode, losses)
    return leaveOpen(reasoning, losses)
  }
  declareMode(mode, losses)
  return model.thinking === 'level'
    ? measureByLevel(reasoning, model, losses)
    : measureByBudget(reasoning, model, losses)
}

function measureByLevel(
  { effort, budgetTokens }: Reasoning,
  model: GeminiModel,
  losses: LossList,
): JsonObject {
  if (budgetTokens !== undefined) losses.lose('reasoning-budget', 'approximated')
  return levelOf(effort ?? effortOfBudget(budgetTokens ?? 0), model.levels, losses)
}

function measureByBudget(
  { effort, budgetTokens }: Reasoning,
  { budget: [minBudget, maxBudget] }: GeminiModel,
  losses: LossList,
): JsonObject {
  if (effort !== undefined) losses.lose('reasoning-effort', 'approximated')
  const requestedBudget = budgetTokens ?? budgets[effort ?? 'medium']
  const thinkingBudget = Math.min(Math.max(requestedBudget, minBudget), maxBudget)
  if (budgetTokens !== undefined && thinkingBudget !== budgetTokens) {
    losses.lose('reasoning-budget', 'approximated')
  }
  return { thinkingBudget }
}

/** The request sets neither effort nor budget: the model decides how much it thinks. */
function leaveOpen({ mode, display }: Reasoning, losses: LossList): JsonObject {
  if (mode === undefined && display === 'summarized') losses.lose('thinking-mode', 'defaulted')
  return {}
}

function isOff({ mode, effort, budgetTokens }: Reasoning): boolean {
  if (mode === 'off') return true
  return mode === undefined && effort === 'none' && budgetTokens === undefined
}

/** Turns thinking off. Declares a loss if the request said so in another way, since the format has only this one. */
function declareOff({ mode, effort, budgetTokens }: Reasoning, losses: LossList): JsonObject {
  const isOnce = mode === 'off' && effort === undefined && budgetTokens === undefined
  if (!isOnce) losses.lose('thinking-mode', 'approximated')
  return OFF
}

/** Declares that a mode is only approximated: the format has no mode besides a level or a budget. */
function declareMode(mode: Reasoning['mode'], losses: LossList): void {
  if (mode !== undefined) losses.lose('thinking-mode', 'approximated')
}

function levelOf(effort: Effort, accepted: readonly Effort[], losses: LossList): JsonObject {
  const level = nearestEffort(effort, accepted)
  if (level !== effort) losses.lose('reasoning-effort', 'approximated')
  return level === undefined ? {} : { thinkingLevel: level.toUpperCase() }
}

/**
 * The thinking tokens for each effort, the same as on the provider's own chat endpoint
 * (https://ai.google.dev/gemini-api/docs/openai#thinking, seen 2026-11-20).
 */
const budgets: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 32_768,
  max: 32_768,
}

/** The effort for each thinking budget in tokens up to the limit, the same as on channels of other formats. */
const effortLimits: readonly (readonly [number, Effort])[] = [
  [1024, 'minimal'],
  [4096, 'low'],
  [16_384, 'medium'],
]

function effortOfBudget(budgetTokens: number): Effort {
  return effortLimits.find(([limit]) => budgetTokens <= limit)?.[1] ?? 'high'
}
