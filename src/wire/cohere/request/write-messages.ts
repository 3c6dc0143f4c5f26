import type { Turn } from '../../../canonical/request.ts'
import { flatMapInSteps, type Steps } from '../../../kit/async/steps.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { dropEmptyTurns } from '../../fields/drop-empty-turns.ts'
import { loseExtras } from '../../fields/extras.ts'
import { alignResults } from '../../tools/align-results.ts'
import { pairCalls } from '../../tools/pair-calls.ts'
import { writeAssistant } from './write-assistant.ts'
import { contentOf, writeParts } from './write-content.ts'
import type { WriteContext } from './write-context.ts'
import { writeToolResults } from './write-tool-result.ts'

/** Writes the messages of a conversation. Empty messages are left out, since the provider refuses them. */
export function* writeMessages(turns: readonly Turn[], context: WriteContext): Steps<readonly JsonObject[]> {
  const { losses } = context
  const spoken = pairCalls(alignResults(dropEmptyTurns(turns, 'cohere', losses), losses), 'answered', losses)
  return endWithUser(yield* flatMapInSteps(spoken, (turn) => writeTurn(turn, context)), context)
}

/** Adds a user message where the assistant's is the last, which the provider refuses. */
function endWithUser(messages: readonly JsonObject[], { losses }: WriteContext): readonly JsonObject[] {
  if (messages.at(-1)?.['role'] !== 'assistant') return messages
  losses.lose('turn-order', 'approximated')
  return [...messages, { role: 'user', content: 'Continue.' }]
}

function writeTurn(turn: Turn, context: WriteContext): readonly JsonObject[] {
  if (turn.role === 'tool') return writeToolResults(turn.results, context)
  if (turn.name !== undefined) context.losses.lose('participant-name', 'dropped')
  loseExtras(turn.extras, { losses: context.losses, path: 'messages' })
  if (turn.role === 'assistant') return writeAssistant(turn.content, context)
  const parts = writeParts(turn.content, context)
  if (parts.length === 0) {
    context.losses.lose('turn-order', 'approximated')
    return []
  }
  return [{ role: turn.role, content: contentOf(parts) }]
}
