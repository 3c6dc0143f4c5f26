import type { TextBlock, UserBlock } from '../../canonical/content.ts'
import { createLossList, type LossList } from '../../canonical/loss.ts'
import type { Turn } from '../../canonical/request.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { fitCalls } from '../fields/fit-calls.ts'
import { moveSystem } from './move-system.ts'
import type { RequestContext } from './request-context.ts'

/** A user's block in this format; undefined where it cannot be carried, which is declared. */
export type WriteUserBlock = (block: UserBlock, losses: LossList) => JsonObject | undefined

export interface FittedTurns {
  readonly turns: readonly Turn[]
  /** The user's last blocks are all of kinds that the format cannot carry: nothing of the question would remain. */
  readonly isSilent: boolean
}

/**
 * The conversation in an order that the provider takes; a valid order stays unchanged. Calls and results go together,
 * system messages go where the model takes them, the user speaks first, and where the model does not continue a begun
 * answer, the user speaks last.
 */
export function fitTurns(context: RequestContext, write: WriteUserBlock): FittedTurns {
  const { losses } = context
  const { turns } = context.request
  const spoken = dropSilent(dropEmptyWhenWritten(turns, write, losses), context)
  const placed = endInWords(fitCalls(moveSystem(spoken, context), losses), losses)
  const last = turns.findLast(({ role }) => role !== 'system')
  return {
    turns: fitEnd(fitStart(placed, context), context),
    isSilent: last !== undefined && isEmptyWhenWritten(last, write),
  }
}

/** The user's blocks of kinds that cannot be carried, before the order is checked. */
function dropEmptyWhenWritten(
  turns: readonly Turn[],
  write: WriteUserBlock,
  losses: LossList,
): readonly Turn[] {
  return turns.filter((turn) => {
    if (!isEmptyWhenWritten(turn, write)) return true
    for (const block of turn.content) if (block.type !== 'text') write(block, losses)
    return false
  })
}

type UserTurn = Extract<Turn, { readonly role: 'user' }>

function isEmptyWhenWritten(turn: Turn, write: WriteUserBlock): turn is UserTurn {
  if (turn.role !== 'user' || turn.extras !== undefined || isSilent(turn)) return false
  return turn.content.every((block) =>
    block.type === 'text' ? block.text.trim() === '' : write(block, createLossList()) === undefined,
  )
}

/** User text must be more than white space; a message without content is left out whole. */
function dropSilent(turns: readonly Turn[], { losses }: RequestContext): readonly Turn[] {
  const spoken = turns.filter((turn) => !isSilent(turn))
  if (spoken.length === turns.length) return turns
  losses.lose('foreign-field', 'dropped', 'messages.content')
  return spoken
}

function isSilent(turn: Turn): boolean {
  if (turn.role !== 'user' || turn.extras !== undefined) return false
  return turn.content.every((block) => block.type === 'text' && block.text.trim() === '')
}

/**
 * An assistant's message must not end in thinking, as an answer does that reached its cap there. The provider joins
 * neighbours before it checks.
 */
function endInWords(turns: readonly Turn[], losses: LossList): readonly Turn[] {
  const remaining: Turn[] = []
  for (const turn of turns.toReversed()) {
    const isEnd = turn.role === 'assistant' && remaining.at(-1)?.role !== 'assistant'
    const end = isEnd ? turn.content.findLastIndex(({ type }) => !thinkingTypes.has(type)) + 1 : 0
    if (!isEnd || end === turn.content.length) {
      remaining.push(turn)
      continue
    }
    losses.lose('thinking', 'dropped')
    if (end > 0) remaining.push({ ...turn, content: turn.content.slice(0, end) })
  }
  return remaining.reverse()
}

const thinkingTypes: ReadonlySet<string> = new Set(['thinking', 'redacted-thinking'])

/** The first message must be the user's. */
function fitStart(turns: readonly Turn[], { losses }: RequestContext): readonly Turn[] {
  const start = turns.findIndex(({ role }) => role !== 'system')
  if (turns[start]?.role !== 'assistant') return turns
  losses.lose('turn-order', 'approximated')
  return [...turns.slice(0, start), userTurn('Begin.'), ...turns.slice(start)]
}

/** An answer that is begun ends in no white space; a model that does not continue one is asked to by the user. */
function fitEnd(turns: readonly Turn[], { dialect, losses }: RequestContext): readonly Turn[] {
  const last = turns.at(-1)
  if (last?.role !== 'assistant') return turns
  if (dialect.messagesModel?.prefill === false) {
    losses.lose('turn-order', 'approximated')
    return [...turns, userTurn('Continue.')]
  }
  const block = last.content.at(-1)
  if (block?.type !== 'text' || block.text === block.text.trimEnd()) return turns
  losses.lose('turn-order', 'approximated')
  const trimmed: TextBlock = { ...block, text: block.text.trimEnd() }
  return [...turns.slice(0, -1), { ...last, content: [...last.content.slice(0, -1), trimmed] }]
}

function userTurn(text: string): Turn {
  return { role: 'user', content: [{ type: 'text', text }] }
}
