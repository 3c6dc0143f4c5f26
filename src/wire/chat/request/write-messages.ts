import type { Turn } from '../../../canonical/request.ts'
import { flatMapInSteps, isLong, type Steps } from '../../../kit/async/steps.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { dropEmptyTurns } from '../../fields/drop-empty-turns.ts'
import { alignResults } from '../../tools/align-results.ts'
import { pairCalls } from '../../tools/pair-calls.ts'
import { withExtras } from '../values/extras.ts'
import { orderMessages } from './order-messages.ts'
import { writeAssistant } from './write-assistant.ts'
import { textOrParts, writeParts } from './write-content.ts'
import { nameField, type WriteContext } from './write-context.ts'
import { writeToolResults } from './write-tool-result.ts'

/** Writes the messages of a conversation, in an order that the server accepts. */
export function* writeMessages(turns: readonly Turn[], context: WriteContext): Steps<readonly JsonObject[]> {
  const { dialect, losses } = context
  const aligned = alignResults(dropEmptyTurns(turns, 'chat', losses), losses)
  const spoken = dialect.tools ? pairCalls(aligned, 'answered', losses) : aligned
  const messages = yield* flatMapInSteps(spoken, (turn) => writeTurn(turn, context))
  if (isLong(messages)) yield
  return orderMessages(messages, context)
}

/** The roles `system` and `developer` have the same authority. The dialect decides which name the server gets. */
function writeTurn(turn: Turn, context: WriteContext): readonly JsonObject[] {
  if (turn.role === 'tool') return writeToolResults(turn.results, context)
  if (turn.role === 'assistant') return [writeAssistant(turn, context)]
  const message = {
    role: turn.role === 'user' ? 'user' : context.dialect.systemRole,
    ...nameField(turn.name, context),
    content: textOrParts(writeParts(turn.content, context), context),
  }
  return [withExtras(message, turn.extras, { losses: context.losses, path: 'messages' })]
}
