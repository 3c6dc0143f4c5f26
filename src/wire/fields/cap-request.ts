import type { ChannelFormatId } from '../../canonical/format.ts'
import type { ChatRequest } from '../../canonical/request.ts'
import type { OutputCap } from '../wire-format.ts'

/** The least that models take which have a least: Claude's 1,024 is the greatest of them. */
const MIN_THINKING_TOKENS = 1024

/**
 * The part of a cap that is for thinking, where the request does not say how much of it is; the rest is for the answer
 * itself.
 */
const USUAL_SHARE = 0.8

/** Output caps before and after one was lowered. */
export interface LoweredCap {
  /** Undefined where there was none. */
  readonly from: number | undefined
  readonly to: number
}

/** The thinking budget that goes with a lower output cap: as large a part of it as before. */
export function lowerBudget(budget: number, { from, to }: LoweredCap): number {
  const share = from === undefined ? USUAL_SHARE : budget / from
  return Math.min(budget, Math.max(MIN_THINKING_TOKENS, Math.floor(to * share)))
}

/** A request with a lower output cap, and the thinking budget with it; as it is where its own cap is low enough. */
export function capRequest(request: ChatRequest, format: ChannelFormatId, cap: OutputCap): ChatRequest {
  const { tokens } = cap
  const { maxOutputTokens, reasoning } = request
  const maxTokens = maxOutputTokens ?? capWithoutAny(request, format, cap)
  if (maxTokens !== undefined && maxTokens <= tokens) return request
  const capped = { ...request, maxOutputTokens: tokens }
  if (reasoning?.budgetTokens === undefined) return capped
  const budgetTokens = lowerBudget(reasoning.budgetTokens, { from: maxOutputTokens, to: tokens })
  return { ...capped, reasoning: { ...reasoning, budgetTokens } }
}

/** The cap where a request names none: the one that the format demands and the writer adds, else the model's own. */
function capWithoutAny(
  { reasoning }: ChatRequest,
  format: ChannelFormatId,
  { dialect }: OutputCap,
): number | undefined {
  const limit = dialect.maxOutputTokens ?? dialect.messagesModel?.maxOutputTokens
  if (format !== 'messages') return limit
  const added = dialect.defaultMaxTokens + (reasoning?.budgetTokens ?? 0)
  return limit === undefined ? added : Math.min(added, limit)
}
