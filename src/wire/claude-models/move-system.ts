import type { Turn } from '../../canonical/request.ts'
import { groupNeighbours } from '../../kit/collections/group-neighbours.ts'
import type { RequestContext } from './request-context.ts'

type SystemTurn = Extract<Turn, { readonly role: 'system' }>

/**
 * Moves system messages within the conversation. Older models accept system messages only at the start, where the
 * provider's own chat endpoint puts them too (docs/api/openai-sdk, seen 2026-11-20). Newer models accept them directly
 * after a user message (docs/build-with-claude/mid-conversation-system-messages, seen 2026-11-20): a system message
 * after the assistant moves after the next user message. Adjacent system messages become one.
 */
export function moveSystem(turns: readonly Turn[], { dialect, losses }: RequestContext): readonly Turn[] {
  const model = dialect.messagesModel
  const end = turns.findIndex(({ role }) => role !== 'system')
  const rest = end === -1 ? [] : turns.slice(end)
  if (model === undefined || !rest.some(({ role }) => role === 'system')) return turns
  const { placed, waiting, isMoved } = model.systemMessages ? followUsers(rest) : removeSystem(rest)
  if (isMoved) losses.lose('system-position', 'approximated')
  return [...turns.slice(0, end), ...waiting, ...placed]
}

interface Placed {
  readonly placed: readonly Turn[]
  /** The system turns that cannot stay within the conversation. They move to its start. */
  readonly waiting: readonly SystemTurn[]
  readonly isMoved: boolean
}

function removeSystem(turns: readonly Turn[]): Placed {
  const placed = turns.filter(({ role }) => role !== 'system')
  return { placed, waiting: turns.filter((turn) => turn.role === 'system'), isMoved: true }
}

function followUsers(turns: readonly Turn[]): Placed {
  const placed: Turn[] = []
  let waiting: SystemTurn[] = []
  let isMoved = false
  for (const turn of turns) {
    if (turn.role === 'system' && placed.at(-1)?.role === 'assistant') {
      waiting.push(turn)
      isMoved = true
    } else if (turn.role === 'system') {
      placed.push(turn)
    } else {
      placed.push(turn)
      if (turn.role === 'assistant') continue
      for (const late of waiting) placed.push(late)
      waiting = []
    }
  }
  return { placed: joinSystems(placed), waiting, isMoved }
}

function joinSystems(turns: readonly Turn[]): readonly Turn[] {
  const groups = groupNeighbours(turns, (turn, before) => turn.role === 'system' && before.role === 'system')
  return groups.map((group) => {
    const [first] = group
    if (group.length === 1 || first.role !== 'system') return first
    return { ...first, content: group.flatMap((turn) => (turn.role === 'system' ? turn.content : [])) }
  })
}
