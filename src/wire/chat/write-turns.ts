import type { Turn } from '../../canonical/request.ts'
import type { JsonObject } from '../../kit/json.ts'
import { omitUndefined } from '../../kit/omit-undefined.ts'
import { writeAssistantTurn } from './write-assistant.ts'
import { contentOf, writeParts } from './write-content.ts'
import type { WriteContext } from './write-context.ts'
import { withExtras } from './write-extras.ts'
import { writeToolTurn } from './write-tool-turn.ts'

/** System and developer are one authority under two names: the dialect says which one the server knows. */
export function writeTurns(turns: readonly Turn[], context: WriteContext): readonly JsonObject[] {
  return turns.flatMap((turn) => writeTurn(turn, context))
}

function writeTurn(turn: Turn, context: WriteContext): readonly JsonObject[] {
  if (turn.role === 'tool') return writeToolTurn(turn.results, context)
  if (turn.role === 'assistant') return [writeAssistantTurn(turn, context)]
  const message = omitUndefined({
    role: turn.role === 'user' ? 'user' : context.dialect.systemRole,
    name: turn.name,
    content: contentOf(writeParts(turn.content, context), context),
  })
  return [withExtras(message, turn.extras, { losses: context.losses, place: 'messages' })]
}
