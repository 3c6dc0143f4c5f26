import type { Turn } from '../../../canonical/request.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { dropHollowTurns } from '../../fields/drop-hollow-turns.ts'
import { withExtras } from '../values/extras.ts'
import { alternateTurns } from './alternate-turns.ts'
import { writeAssistantTurn } from './write-assistant.ts'
import { contentOf, writeParts } from './write-content.ts'
import { nameField, type WriteContext } from './write-context.ts'
import { writeToolTurn } from './write-tool-result.ts'

/** The messages of a conversation, in an order that the server takes. */
export function writeTurns(turns: readonly Turn[], context: WriteContext): readonly JsonObject[] {
  const spoken = dropHollowTurns(turns, 'chat', context.losses)
  const messages = spoken.flatMap((turn) => writeTurn(turn, context))
  return context.dialect.turnOrder === 'any' ? messages : alternateTurns(messages, context)
}

/** System and developer are one authority under two names: the dialect says which one the server knows. */
function writeTurn(turn: Turn, context: WriteContext): readonly JsonObject[] {
  if (turn.role === 'tool') return writeToolTurn(turn.results, context)
  if (turn.role === 'assistant') return [writeAssistantTurn(turn, context)]
  const message = {
    role: turn.role === 'user' ? 'user' : context.dialect.systemRole,
    ...nameField(turn.name, context),
    content: contentOf(writeParts(turn.content, context), context),
  }
  return [withExtras(message, turn.extras, { losses: context.losses, path: 'messages' })]
}
