import type { ChannelFormatId } from '../../canonical/format.ts'
import type { ChatRequest } from '../../canonical/request.ts'
import type { OutputCap } from '../wire-format.ts'

/** The minimum thinking budget, among models that have a minimum. Claude's 1,024 is the highest of them. */
const MIN_THINKING_TOKENS = 1024

/**
 * The share of the output cap that thinking gets where the request does not state a cap. The rest is for the answer
 * itself.
 */
const USUAL_SHARE = 0.8

/** The output cap before and after it was lowered. */
export interface LoweredCap {
  /** Undefined where the request had no cap. */
  readonly from: number | undefined
  readonly to: number
}

/** Returns the thinking budget for a lower output cap. It has the same share of the cap as before. */
export function lowerBudget(budget: number, { from, to }: LoweredCap): number {
  const share = from === undefined ? USUAL_SHARE : budget / from
  return Math.min(budget, Math.max(MIN_THINKING_TOKENS, Math.floor(to * share)))
}

/**
 * Lowers the output cap of a request, and the thinking budget with it. A request whose own cap is low enough does not
 * change.
 */
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

/**
 * Returns the cap that applies to a request without one: the cap that the writer adds where the format requires one,
 * else the model's own limit.
 */
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
