import type { LossList } from '../../canonical/loss.ts'
import { type Effort, efforts, type Reasoning } from '../../canonical/request.ts'
import type { MessagesModel, ThinkingType } from '../dialect.ts'
import { findThinkingConflict } from './find-thinking-conflict.ts'
import type { RequestContext } from './request-context.ts'

/** The amount of thinking, in the format's own fields. */
export interface ThinkingPlan {
  /** Absent where the request does not mention it. */
  readonly type?: ThinkingType
  /** The budget of `enabled`. */
  readonly budgetTokens?: number
  readonly effort?: Effort
  /** Whether the answer is thought about, asked or unasked. */
  readonly isThinking: boolean
}

/** Nothing that the model is certain to refuse is planned; what that changes of the request is declared. */
export function planThinking(context: RequestContext): ThinkingPlan {
  const { request, dialect, losses } = context
  const model = dialect.messagesModel
  const thinksByDefault = model?.thinksByDefault ?? false
  if (request.reasoning === undefined) return { isThinking: thinksByDefault }
  const wanted =
    model === undefined
      ? planUnknown(request.reasoning, context)
      : planKnown(request.reasoning, model, context)
  const isAsked = wanted.type === 'enabled' || wanted.type === 'adaptive'
  if (!isAsked) return { ...wanted, isThinking: thinksByDefault && wanted.type === undefined }
  if (findThinkingConflict(request, wanted.type) === undefined) return { ...wanted, isThinking: true }
  losses.lose('thinking-mode', 'dropped')
  const { effort } = wanted
  return { ...(effort === undefined ? {} : { effort }), isThinking: thinksByDefault }
}

type Wanted = Omit<ThinkingPlan, 'isThinking'>

/** Passes on what was asked to a model that nothing is known of. A budget alone asks for thinking. */
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
    // Thinking that is merely on is left to the model to measure.
    losses.lose('thinking-mode', 'approximated')
    return { type: 'adaptive', ...said }
  }
  if (mode === undefined) losses.lose('thinking-mode', 'defaulted')
  return { type: 'enabled', budgetTokens, ...said }
}

function planKnown(reasoning: Reasoning, model: MessagesModel, context: RequestContext): Wanted {
  const { mode, effort } = reasoning
  if (mode === 'off' || (mode === undefined && effort === 'none')) return planSilence(model, context)
  if (model.thinkingTypes.length === 0) {
    declareUnthinking(reasoning, context)
    return {}
  }
  return model.thinkingTypes.includes('adaptive')
    ? planAdaptive(reasoning, model, context)
    : planBudget(reasoning, model, context)
}

/** Thinking off: omitted where that is the default, else the value for it, else the least thinking. */
function planSilence(model: MessagesModel, { losses }: RequestContext): Wanted {
  if (!model.thinksByDefault) return {}
  if (model.thinkingTypes.includes('disabled')) return { type: 'disabled' }
  losses.lose('thinking-mode', 'approximated')
  if (model.thinkingTypes.includes('between_tools')) return { type: 'between_tools' }
  return { effort: 'low' }
}

/** A model that cannot think answers all the same. */
function declareUnthinking({ mode, effort, budgetTokens }: Reasoning, { losses }: RequestContext): void {
  if (effort !== undefined) losses.lose('reasoning-effort', 'dropped')
  if (mode !== undefined) losses.lose('thinking-mode', 'dropped')
  if (budgetTokens !== undefined) losses.lose('reasoning-budget', 'dropped')
}

/** The amount as an effort. A budget passes unchanged where the model still takes one. */
function planAdaptive(reasoning: Reasoning, model: MessagesModel, context: RequestContext): Wanted {
  const { mode, budgetTokens } = reasoning
  const { losses } = context
  if (budgetTokens !== undefined && model.thinkingTypes.includes('enabled')) {
    return { type: 'enabled', budgetTokens, ...nearestClaudeEffort(reasoning.effort, model, losses) }
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

/** The amount as a budget; the effort beside it where the model takes one. */
function planBudget(reasoning: Reasoning, model: MessagesModel, { losses }: RequestContext): Wanted {
  const { mode, effort, budgetTokens } = reasoning
  if (mode === 'adaptive' || mode === 'between-tools') {
    losses.lose('thinking-mode', 'approximated')
  }
  if (effort !== undefined && budgetTokens === undefined && model.efforts.length === 0) {
    losses.lose('reasoning-effort', 'approximated')
  }
  const budget = budgetTokens ?? budgetOf(effort)
  const said = model.efforts.length === 0 ? {} : nearestClaudeEffort(effort, model, losses)
  return { type: 'enabled', budgetTokens: budget, ...said }
}

/** Thinking tokens for an effort where a model takes budgets alone; the least budget is 1024. */
const budgets: Readonly<Record<Effort, number>> = {
  none: 1024,
  minimal: 1024,
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

/** The format's least effort is `low`; the thinking mode turns thinking off. */
function chooseEffort(effort: Effort | undefined, losses: LossList): { readonly effort?: Effort } {
  if (effort === undefined) return {}
  if (effort !== 'none' && effort !== 'minimal') return { effort }
  losses.lose('reasoning-effort', 'approximated')
  return effort === 'minimal' ? { effort: 'low' } : {}
}

/** The model's own word for an effort: the same, else the next one below, else its least. */
export function nearestClaudeEffort(
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
