import type { TextBlock, UserBlock } from '../../canonical/content.ts'
import { createLossList, type LossList } from '../../canonical/loss.ts'
import type { Turn } from '../../canonical/request.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { fitCalls } from '../tools/fit-calls.ts'
import { moveSystem } from './move-system.ts'
import type { RequestContext } from './request-context.ts'

/** Writes a user's block in this format. Returns undefined, with a declared loss, if the format cannot carry it. */
export type WriteUserBlock = (block: UserBlock, losses: LossList) => JsonObject | undefined

export interface FittedTurns {
  readonly turns: readonly Turn[]
  /** Whether the format can carry none of the user's last blocks, so that nothing of the question would remain. */
  readonly isSilent: boolean
}

/**
 * Puts the conversation in an order that the provider accepts. A valid order stays unchanged. Results follow their
 * calls, system messages go where the model accepts them, and the first message is the user's. If the model does not
 * support prefill, the last message is the user's too.
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

/** Drops user turns with only blocks that the format cannot carry. This must happen before the order is checked. */
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

/** Drops user turns with only whitespace, since a user's text must be more than whitespace. */
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
 * Removes thinking at the end of an assistant's message, which the provider refuses. An answer ends like that if it
 * reached its cap while thinking. The provider joins adjacent messages before this check.
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

/** Adds a user message at the start if needed, since the first message must be the user's. */
function fitStart(turns: readonly Turn[], { losses }: RequestContext): readonly Turn[] {
  const start = turns.findIndex(({ role }) => role !== 'system')
  if (turns[start]?.role !== 'assistant') return turns
  losses.lose('turn-order', 'approximated')
  return [...turns.slice(0, start), userTurn('Begin.'), ...turns.slice(start)]
}

/**
 * Trims whitespace at the end of a prefilled answer. If the model does not support prefill, a user turn asks it to
 * continue.
 */
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
