import { MIN_THINKING_TOKENS, type ThinkingPlan } from './plan-thinking.ts'
import type { RequestContext } from './request-context.ts'

export interface FittedCaps {
  readonly maxTokens: number
  readonly plan: ThinkingPlan
}

/**
 * Fits the output cap, which the format requires, and the thinking budget. The budget must be below the cap, since
 * thinking is billed as output (docs/build-with-claude/extended-thinking, seen 2026-11-20). If the caller sets a cap,
 * it overrides the budget.
 */
export function fitCaps(plan: ThinkingPlan, context: RequestContext): FittedCaps {
  const maxTokens = chooseCap(plan, context)
  const { type, budgetTokens } = plan
  if (type !== 'enabled' || budgetTokens === undefined || budgetTokens < maxTokens) return { maxTokens, plan }
  const { losses } = context
  if (maxTokens <= MIN_THINKING_TOKENS) {
    losses.lose('thinking-mode', 'dropped')
    const { effort } = plan
    return { maxTokens, plan: { ...(effort === undefined ? {} : { effort }), isThinking: false } }
  }
  losses.lose('reasoning-budget', 'approximated')
  // The rest of the cap remains for the answer itself.
  const fitted = Math.max(MIN_THINKING_TOKENS, Math.floor(maxTokens * 0.8))
  return { maxTokens, plan: { ...plan, budgetTokens: fitted } }
}

function chooseCap({ budgetTokens }: ThinkingPlan, { request, dialect, losses }: RequestContext): number {
  const limit = dialect.maxOutputTokens ?? dialect.messagesModel?.maxOutputTokens ?? Number.POSITIVE_INFINITY
  const requestedCap = request.maxOutputTokens
  if (requestedCap === undefined) {
    losses.lose('max-output-tokens', 'defaulted')
    return Math.min(dialect.defaultMaxTokens + (budgetTokens ?? 0), limit)
  }
  if (requestedCap <= limit) return requestedCap
  losses.lose('max-output-tokens', 'approximated')
  return limit
}
