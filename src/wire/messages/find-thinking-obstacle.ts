import type { ChatRequest, Turn } from '../../canonical/request.ts'
import type { ThinkingType } from '../dialect.ts'
import { demandsCall } from './request-context.ts'

export type ThinkingObstacle = 'forced-tool' | 'prefill' | 'unthought-call'

/**
 * Why the provider would refuse to think about this request (docs/build-with-claude/thinking, seen 2026-11-20): a call
 * is demanded; or, with a budget, the answer is begun already, or calls that wait for their results were made without
 * signed thinking before them, as those of other models and of clients that return none are.
 */
export function findThinkingObstacle(
  request: ChatRequest,
  type: ThinkingType | undefined,
): ThinkingObstacle | undefined {
  if (demandsCall(request)) return 'forced-tool'
  if (type !== 'enabled') return undefined
  if (request.turns.at(-1)?.role === 'assistant') return 'prefill'
  return request.turns.at(-1)?.role === 'tool' && !isThoughtAbout(request.turns)
    ? 'unthought-call'
    : undefined
}

/** Whether the answer that goes on with these results began with thinking that its maker signed. */
function isThoughtAbout(turns: readonly Turn[]): boolean {
  const start = turns.findLastIndex(({ role }) => role === 'user')
  const first = turns.slice(start + 1).find((turn) => turn.role === 'assistant')
  const block = first?.content[0]
  return block?.type === 'redacted-thinking' || (block?.type === 'thinking' && block.signature !== undefined)
}
