import type { ChatRequest, Turn } from '../../canonical/request.ts'
import type { ThinkingType } from '../dialect.ts'
import { demandsCall } from './request-context.ts'

export type ThinkingConflict = 'forced-tool' | 'prefill' | 'unthought-call'

/**
 * Finds why the provider would refuse to think about this request (docs/build-with-claude/thinking, seen 2026-11-20): a
 * call is demanded; or, with a budget, the answer is begun already, or calls that wait for their results were made
 * without signed thinking before them, as those of other models and of clients that return none are.
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
 * Whether the answer that continues with results began without signed thinking. The user's text after results shares
 * one message with them, so that it begins no other answer.
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
 * The user's last turn that does not stand behind results of tools, with nothing but the user's turns between; or -1.
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
