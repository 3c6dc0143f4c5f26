import type { ChannelFormatId } from '../canonical/format.ts'
import type { ChatRequest } from '../canonical/request.ts'
import { lowerBudget } from './fields/lower-budget.ts'
import type { OutputCap } from './wire-format.ts'

/** A request with a lower output cap, and the thinking budget with it; as it is where its own cap is low enough. */
export function capRequest(request: ChatRequest, format: ChannelFormatId, cap: OutputCap): ChatRequest {
  const { tokens } = cap
  const { maxOutputTokens, reasoning } = request
  const most = maxOutputTokens ?? capWithoutAny(request, format, cap)
  if (most !== undefined && most <= tokens) return request
  const capped = { ...request, maxOutputTokens: tokens }
  if (reasoning?.budgetTokens === undefined) return capped
  const budgetTokens = lowerBudget(reasoning.budgetTokens, { from: maxOutputTokens, to: tokens })
  return { ...capped, reasoning: { ...reasoning, budgetTokens } }
}

/** What applies where a request names no cap: the one that the format demands and the writer adds, else the model's own. */
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
