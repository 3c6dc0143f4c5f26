import type { ToolResultBlock } from '../../canonical/content.ts'
import type { LossList } from '../../canonical/loss.ts'
import type { Turn } from '../../canonical/request.ts'

/** The results of one assistant turn's calls. */
interface CallGroup {
  readonly results: ToolResultBlock[]
  /** Whether another turn follows the calls, so that a result has to move. */
  isPassed: boolean
}

interface OpenCalls {
  readonly group: CallGroup
  count: number
}

/**
 * Moves results directly behind their calls. In the responses format, other turns may stand between the two: a message
 * that the user sent while tools ran, or one of the system. Other providers refuse such a conversation.
 */
export function alignResults(turns: readonly Turn[], losses: LossList): readonly Turn[] {
  const aligned: (Turn | CallGroup)[] = []
  const open = new Map<string, OpenCalls>()
  let current: CallGroup | undefined
  for (const turn of turns) {
    if (turn.role === 'tool') {
      const others = current?.results ?? []
      for (const result of turn.results) (findGroup(result, open, losses)?.results ?? others).push(result)
      if (current === undefined && others.length > 0) aligned.push({ role: 'tool', results: others })
      continue
    }
    if (current !== undefined) current.isPassed = true
    aligned.push(turn)
    current = turn.role === 'assistant' ? openCalls(turn, open) : undefined
    if (current !== undefined) aligned.push(current)
  }
  return aligned.flatMap(turnOf)
}

/** Opens the calls of a turn. A call closes an older one with its ID. */
function openCalls(
  { content }: Extract<Turn, { readonly role: 'assistant' }>,
  open: Map<string, OpenCalls>,
): CallGroup | undefined {
  const ids = content.flatMap((block) => (block.type === 'tool-call' ? [block.id] : []))
  if (ids.length === 0) return undefined
  const group: CallGroup = { results: [], isPassed: false }
  for (const id of ids) {
    const calls = open.get(id)
    if (calls?.group === group) calls.count += 1
    else open.set(id, { group, count: 1 })
  }
  return group
}

function findGroup(
  { callId }: ToolResultBlock,
  open: Map<string, OpenCalls>,
  losses: LossList,
): CallGroup | undefined {
  const calls = open.get(callId)
  if (calls === undefined) return undefined
  calls.count -= 1
  if (calls.count === 0) open.delete(callId)
  if (calls.group.isPassed) losses.lose('turn-order', 'approximated')
  return calls.group
}

function turnOf(aligned: Turn | CallGroup): readonly Turn[] {
  if ('role' in aligned) return [aligned]
  return aligned.results.length === 0 ? [] : [{ role: 'tool', results: aligned.results }]
}
