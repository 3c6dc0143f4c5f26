import type { ChatRequest, Turn } from '../../canonical/request.ts'
import type { ThinkingType } from '../dialect.ts'
import { demandsCall } from './request-context.ts'

export type ThinkingConflict = 'forced-tool' | 'prefill' | 'unthought-call'

/**
 * Finds why the provider would refuse thinking for this request (docs/build-with-claude/thinking, seen 2026-11-20). One
 * reason is a forced tool call. With a budget there are two more: the request starts the answer (prefill), or the
 * conversation ends in tool results and their calls have no signed thinking before them. Calls of other models, and
 * calls from clients that return no thinking, have none.
 */
export function findThinkingConflict(
  request: ChatRequest,
  type: ThinkingType | undefined,
): ThinkingConflict | undefined {
  if (demandsCall(request)) return 'forced-tool'
  if (type !== 'enabled') return undefined
  if (request.turns.at(-1)?.role === 'assistant') return 'prefill'
  return isUnthoughtCall(request.turns) ? 'unthought-call' : undefined
}

/**
 * Whether the answer that continues after tool results started without signed thinking. The user's text after results
 * is in the same message as the results, so it does not start a new answer.
 */
function isUnthoughtCall(turns: readonly Turn[]): boolean {
  const spoken = turns.filter(({ role }) => role !== 'system')
  if (spoken.findLast(({ role }) => role !== 'user')?.role !== 'tool') return false
  const start = findLastQuestion(spoken)
  const first = spoken.slice(start + 1).find((turn) => turn.role === 'assistant')
  const block = first?.content[0]
  const isThought =
    block?.type === 'redacted-thinking' || (block?.type === 'thinking' && block.signature !== undefined)
  return !isThought
}

/**
 * The index of the last user turn that starts a new question. No tool results precede it, neither directly nor before
 * other user turns. Returns -1 if there is none.
 */
function findLastQuestion(turns: readonly Turn[]): number {
  let last = -1
  let before: Turn['role'] | undefined
  for (const [index, { role }] of turns.entries()) {
    if (role !== 'user') before = role
    else if (before !== 'tool') last = index
  }
  return last
}
