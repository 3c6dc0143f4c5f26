import type { LossList } from '../../canonical/loss.ts'
import { type Effort, efforts, type Reasoning } from '../../canonical/request.ts'
import type { MessagesModel, ThinkingType } from '../dialect.ts'
import { findThinkingConflict } from './find-thinking-conflict.ts'
import type { RequestContext } from './request-context.ts'

/** The amount of thinking to request, in the format's own fields. */
export interface ThinkingPlan {
  /** Absent if the request does not set it. */
  readonly type?: ThinkingType
  /** The thinking budget, for the type `enabled`. */
  readonly budgetTokens?: number
  readonly effort?: Effort
  /** Whether the model thinks before it answers, on request or by default. */
  readonly isThinking: boolean
}

/** Plans the thinking. Leaves out everything that the model is sure to refuse, and declares these changes. */
export function planThinking(context: RequestContext): ThinkingPlan {
  const { request, dialect, losses } = context
  const model = dialect.messagesModel
  const thinksByDefault = model?.thinksByDefault ?? false
  if (request.reasoning === undefined) return { isThinking: thinksByDefault }
  const wanted =
    model === undefined
      ? planUnknown(request.reasoning, context)
      : planKnown(request.reasoning, model, context)
  const isEnabled = wanted.type === 'enabled' || wanted.type === 'adaptive'
  if (!isEnabled) return { ...wanted, isThinking: thinksByDefault && wanted.type === undefined }
  if (findThinkingConflict(request, wanted.type) === undefined) return { ...wanted, isThinking: true }
  losses.lose('thinking-mode', 'dropped')
  const { effort } = wanted
  return { ...(effort === undefined ? {} : { effort }), isThinking: thinksByDefault }
}

type Wanted = Omit<ThinkingPlan, 'isThinking'>

/** Plans the thinking of an unknown model: passes on the request. A budget without a mode turns thinking on. */
function planUnknown(reasoning: Reasoning, { losses }: RequestContext): Wanted {
  const { mode, effort, budgetTokens } = reasoning
  const said = chooseEffort(effort, losses)
  if (mode === undefined && effort === 'none') return { type: 'disabled' }
  if (mode === undefined && budgetTokens === undefined) return said
  if (budgetTokens !== undefined && mode !== undefined && mode !== 'on') {
    losses.lose('reasoning-budget', 'dropped')
  }
  if (mode === 'off') return { type: 'disabled', ...said }
  if (mode === 'adaptive') return { type: 'adaptive', ...said }
  if (mode === 'between-tools') return { type: 'between_tools', ...said }
  if (budgetTokens === undefined) {
    // If thinking is on without a budget, the model decides how much it thinks.
    losses.lose('thinking-mode', 'approximated')
    return { type: 'adaptive', ...said }
  }
  if (mode === undefined) losses.lose('thinking-mode', 'defaulted')
  return { type: 'enabled', budgetTokens, ...said }
}

function planKnown(reasoning: Reasoning, model: MessagesModel, context: RequestContext): Wanted {
  const { mode, effort } = reasoning
  if (mode === 'off' || (mode === undefined && effort === 'none')) return planSilence(model, context)
  if (hidesThoughtsOnly(reasoning)) return {}
  if (model.thinkingTypes.length === 0) {
    declareUnthinking(reasoning, context)
    return {}
  }
  return model.thinkingTypes.includes('adaptive')
    ? planAdaptive(reasoning, model, context)
    : planBudget(reasoning, model, context)
}

/**
 * Whether the caller asks only that no thoughts are shown, as clients of Gemini do. The model then thinks as without a
 * word about thinking, since thinking would be billed.
 */
function hidesThoughtsOnly({ mode, effort, budgetTokens, display }: Reasoning): boolean {
  return display === 'omitted' && (mode ?? effort ?? budgetTokens) === undefined
}

/** Turns thinking off. Omits the field if that is the default. If the model cannot turn it off, asks for the least. */
function planSilence(model: MessagesModel, { losses }: RequestContext): Wanted {
  if (!model.thinksByDefault) return {}
  if (model.thinkingTypes.includes('disabled')) return { type: 'disabled' }
  losses.lose('thinking-mode', 'approximated')
  if (model.thinkingTypes.includes('between_tools')) return { type: 'between_tools' }
  return { effort: 'low' }
}

/** Declares the reasoning settings as lost for a model that cannot think. The model still answers. */
function declareUnthinking({ mode, effort, budgetTokens }: Reasoning, { losses }: RequestContext): void {
  if (effort !== undefined) losses.lose('reasoning-effort', 'dropped')
  if (mode !== undefined) losses.lose('thinking-mode', 'dropped')
  if (budgetTokens !== undefined) losses.lose('reasoning-budget', 'dropped')
}

/** Plans the amount of thinking as an effort. A budget passes unchanged if the model still accepts budgets. */
function planAdaptive(reasoning: Reasoning, model: MessagesModel, context: RequestContext): Wanted {
  const { mode, budgetTokens } = reasoning
  const { losses } = context
  if (budgetTokens !== undefined && model.thinkingTypes.includes('enabled')) {
    const budget = raiseBudget(budgetTokens, losses)
    return { type: 'enabled', budgetTokens: budget, ...nearestClaudeEffort(reasoning.effort, model, losses) }
  }
  if (budgetTokens !== undefined) losses.lose('reasoning-budget', 'approximated')
  const effort = nearestClaudeEffort(reasoning.effort ?? effortOfBudget(budgetTokens), model, losses)
  if (mode === 'between-tools') {
    if (model.thinkingTypes.includes('between_tools')) return { type: 'between_tools', ...effort }
    losses.lose('thinking-mode', 'approximated')
  }
  const isSaid = mode !== undefined || !model.thinksByDefault
  return { ...(isSaid ? { type: 'adaptive' as const } : {}), ...effort }
}

/** Plans the amount of thinking as a budget, and adds the effort if the model accepts efforts. */
function planBudget(reasoning: Reasoning, model: MessagesModel, { losses }: RequestContext): Wanted {
  const { mode, effort, budgetTokens } = reasoning
  if (mode === 'adaptive' || mode === 'between-tools') {
    losses.lose('thinking-mode', 'approximated')
  }
  if (effort !== undefined && budgetTokens === undefined && model.efforts.length === 0) {
    losses.lose('reasoning-effort', 'approximated')
  }
  const budget = budgetTokens === undefined ? budgetOf(effort) : raiseBudget(budgetTokens, losses)
  const said = model.efforts.length === 0 ? {} : nearestClaudeEffort(effort, model, losses)
  return { type: 'enabled', budgetTokens: budget, ...said }
}

/** The smallest thinking budget that the provider accepts. */
export const MIN_THINKING_TOKENS = 1024

/** A smaller budget, which Gemini takes, becomes the smallest. */
function raiseBudget(budgetTokens: number, losses: LossList): number {
  if (budgetTokens >= MIN_THINKING_TOKENS) return budgetTokens
  losses.lose('reasoning-budget', 'approximated')
  return MIN_THINKING_TOKENS
}

/** The thinking tokens for each effort, for models that accept only budgets. */
const budgets: Readonly<Record<Effort, number>> = {
  none: MIN_THINKING_TOKENS,
  minimal: MIN_THINKING_TOKENS,
  low: 4096,
  medium: 10_000,
  high: 24_000,
  xhigh: 32_000,
  max: 32_000,
}

function budgetOf(effort: Effort = 'medium'): number {
  return budgets[effort]
}

function effortOfBudget(budgetTokens: number | undefined): Effort | undefined {
  if (budgetTokens === undefined) return undefined
  if (budgetTokens <= budgets.low) return 'low'
  return budgetTokens <= budgets.medium ? 'medium' : 'high'
}

/**
 * The effort in this format. The lowest is `low`. The effort `none` is left out: the thinking mode turns thinking off.
 */
function chooseEffort(effort: Effort | undefined, losses: LossList): { readonly effort?: Effort } {
  if (effort === undefined) return {}
  if (effort !== 'none' && effort !== 'minimal') return { effort }
  losses.lose('reasoning-effort', 'approximated')
  return effort === 'minimal' ? { effort: 'low' } : {}
}

/** The model's effort that is nearest to the requested one: the same, or the next lower, or the model's lowest. */
function nearestClaudeEffort(
  effort: Effort | undefined,
  model: MessagesModel,
  losses: LossList,
): { readonly effort?: Effort } {
  if (effort === undefined || model.efforts.includes(effort)) return chooseEffort(effort, losses)
  losses.lose('reasoning-effort', 'approximated')
  const rank = efforts.indexOf(effort)
  const below = model.efforts.filter((word) => efforts.indexOf(word) < rank).at(-1)
  const word = below ?? model.efforts[0]
  return word === undefined ? {} : { effort: word }
}
