import type { TextBlock } from '../../canonical/content.ts'
import type { Turn } from '../../canonical/request.ts'
import { fitCalls } from './fit-calls.ts'
import { placeSystem } from './place-system.ts'
import type { RequestContext } from './request-context.ts'

/**
 * The conversation in an order that the provider takes; a conversation that is in such an order stays as it is. Calls
 * and results go together, system messages stand where the model takes them, the user speaks first, and where the model
 * does not continue an answer that is begun, the user has the last word.
 */
export function fitTurns(context: RequestContext): readonly Turn[] {
  const spoken = dropSilent(context.request.turns, context)
  const placed = placeSystem(spoken, context)
  return fitEnd(fitStart(fitCalls(placed, context.losses), context), context)
}

/** What the user says must be more than white space; a message with nothing in it is left out whole. */
function dropSilent(turns: readonly Turn[], { losses }: RequestContext): readonly Turn[] {
  const spoken = turns.filter((turn) => !isSilent(turn))
  if (spoken.length === turns.length) return turns
  losses.add({ feature: 'foreign-field', kind: 'dropped', field: 'messages.content' })
  return spoken
}

function isSilent(turn: Turn): boolean {
  if (turn.role !== 'user' || turn.extras !== undefined) return false
  return turn.content.every((block) => block.type === 'text' && block.text.trim() === '')
}

/** The first message must be the user's. */
function fitStart(turns: readonly Turn[], { losses }: RequestContext): readonly Turn[] {
  const start = turns.findIndex(({ role }) => role !== 'system')
  if (turns[start]?.role !== 'assistant') return turns
  losses.add({ feature: 'turn-order', kind: 'approximated' })
  return [...turns.slice(0, start), userTurn('Begin.'), ...turns.slice(start)]
}

/** An answer that is begun ends in no white space; a model that does not continue one is asked to by the user. */
function fitEnd(turns: readonly Turn[], { dialect, losses }: RequestContext): readonly Turn[] {
  const last = turns.at(-1)
  if (last?.role !== 'assistant') return turns
  if (dialect.messagesModel?.prefill === false) {
    losses.add({ feature: 'turn-order', kind: 'approximated' })
    return [...turns, userTurn('Continue.')]
  }
  const block = last.content.at(-1)
  if (block?.type !== 'text' || block.text === block.text.trimEnd()) return turns
  losses.add({ feature: 'turn-order', kind: 'approximated' })
  const trimmed: TextBlock = { ...block, text: block.text.trimEnd() }
  return [...turns.slice(0, -1), { ...last, content: [...last.content.slice(0, -1), trimmed] }]
}

function userTurn(text: string): Turn {
  return { role: 'user', content: [{ type: 'text', text }] }
}
