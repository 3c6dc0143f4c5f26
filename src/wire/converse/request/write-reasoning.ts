import type { ChatRequest, Effort, Reasoning } from '../../../canonical/request.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { fitCaps } from '../../claude-models/fit-caps.ts'
import { planThinking } from '../../claude-models/plan-thinking.ts'
import { writeThinkingField } from '../../claude-models/write-thinking-field.ts'
import { isReasoningOff } from '../../fields/is-reasoning-off.ts'
import { nearestEffort } from '../../fields/nearest-effort.ts'
import type { WriteContext } from './write-context.ts'

export interface WrittenReasoning {
  /** The fields to merge into the model's own fields. */
  readonly fields: JsonObject
  readonly maxTokens: number | undefined
  /** Whether the model thinks before it answers. Then fewer sampling settings are allowed. */
  readonly isThinking: boolean
}

/** Writes how much the model should think, in the fields of its family, and the output cap. */
export function writeReasoning(request: ChatRequest, context: WriteContext): WrittenReasoning {
  const maxTokens = request.maxOutputTokens
  const { reasoning } = request
  switch (context.model.reasoning) {
    case 'thinking':
      return writeClaudeThinking(request, context)
    case 'reasoning_effort': {
      const effort = writeEffort(reasoning, context)
      const fields = effort === undefined ? {} : { reasoning_effort: effort }
      return { fields, maxTokens, isThinking: false }
    }
    case 'reasoningConfig': {
      const fields = writeReasoningConfig(request, context)
      return { fields, maxTokens, isThinking: false }
    }
    case 'none':
      loseReasoning(reasoning, context)
      return { fields: {}, maxTokens, isThinking: false }
  }
}

/** Claude accepts the fields of its own format in addition to those of this format. The default cap is the model's. */
function writeClaudeThinking(request: ChatRequest, context: WriteContext): WrittenReasoning {
  const messagesContext = { request, dialect: context.dialect, losses: context.losses }
  const planned = planThinking(messagesContext)
  const isCapped = request.maxOutputTokens !== undefined
  const { plan, maxTokens } = isCapped
    ? fitCaps(planned, messagesContext)
    : { plan: planned, maxTokens: undefined }
  const { body, outputConfig } = writeThinkingField(plan, request.reasoning, context.losses)
  const output = Object.keys(outputConfig).length === 0 ? {} : { output_config: outputConfig }
  return { fields: { ...body, ...output }, maxTokens, isThinking: plan.isThinking }
}

/** The effort that replaces a budget of up to this many thinking tokens. A larger budget becomes `high`. */
const effortOfBudget: readonly (readonly [number, Effort])[] = [
  [4096, 'low'],
  [16_384, 'medium'],
]

/** Writes the effort. Undefined if there is nothing to send. */
function writeEffort(reasoning: Reasoning | undefined, context: WriteContext): Effort | undefined {
  if (reasoning === undefined) return undefined
  const { mode, effort, budgetTokens, display } = reasoning
  if (display !== undefined) context.losses.lose('reasoning-display', 'dropped')
  if (mode !== undefined) context.losses.lose('thinking-mode', 'approximated')
  if (budgetTokens !== undefined) context.losses.lose('reasoning-budget', 'approximated')
  const requestedEffort = mode === 'off' ? 'none' : (effort ?? effortFor(mode, budgetTokens))
  if (requestedEffort === undefined) return undefined
  const word = nearestEffort(requestedEffort, context.dialect.efforts)
  if (word !== requestedEffort && effort !== undefined)
    context.losses.lose('reasoning-effort', word === undefined ? 'dropped' : 'approximated')
  return word
}

/** The effort to send. Undefined if the model decides by itself. */
function effortFor(mode: Reasoning['mode'], budgetTokens: number | undefined): Effort | undefined {
  if (budgetTokens === undefined) return mode === 'on' ? 'medium' : undefined
  return effortOfBudget.find(([limit]) => budgetTokens <= limit)?.[1] ?? 'high'
}

/**
 * Nova reasons only on request. At `high` it accepts neither an output cap nor sampling settings
 * (extended-thinking.html, seen 2026-11-20).
 */
function writeReasoningConfig(request: ChatRequest, context: WriteContext): JsonObject {
  const { reasoning, maxOutputTokens, temperature, topP, topK } = request
  if (isReasoningOff(reasoning)) return {}
  const effort = writeEffort(reasoning, context)
  if (effort === undefined) return {}
  const isLimited = [maxOutputTokens, temperature, topP, topK].some((value) => value !== undefined)
  if (effort !== 'high' || !isLimited)
    return { reasoningConfig: { type: 'enabled', maxReasoningEffort: effort } }
  context.losses.lose('reasoning-effort', 'approximated')
  return { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'medium' } }
}

function loseReasoning(reasoning: Reasoning | undefined, context: WriteContext): void {
  if (reasoning === undefined) return
  const { mode, effort, budgetTokens, display } = reasoning
  if (mode !== undefined) context.losses.lose('thinking-mode', 'dropped')
  if (effort !== undefined) context.losses.lose('reasoning-effort', 'dropped')
  if (budgetTokens !== undefined) context.losses.lose('reasoning-budget', 'dropped')
  if (display !== undefined) context.losses.lose('reasoning-display', 'dropped')
}
