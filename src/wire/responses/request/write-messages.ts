import type { LossList } from '../../../canonical/loss.ts'
import type { Turn } from '../../../canonical/request.ts'
import { flatMapInSteps, isLong, type Steps } from '../../../kit/async/steps.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { dropEmptyTurns } from '../../fields/drop-empty-turns.ts'
import { loseExtras } from '../../fields/extras.ts'
import { pairCalls } from '../../tools/pair-calls.ts'
import { withExtras } from '../values/extras.ts'
import { writeAssistant } from './write-assistant.ts'
import { writeParts } from './write-content.ts'
import { findCustomCalls, writeToolResult } from './write-tool-result.ts'

/** Writes the conversation as `instructions` and `input`. */
export function* writeMessages(original: readonly Turn[], losses: LossList): Steps<JsonObject> {
  const turns = pairCalls(dropEmptyTurns(original, 'responses', losses), 'none', losses)
  const [first, ...others] = turns
  const instructions =
    first === undefined || others.length === 0 ? undefined : plainInstructions(first, losses)
  const items = instructions === undefined ? turns : others
  const customCalls = findCustomCalls(turns)
  if (isLong(items)) yield
  const input = yield* flatMapInSteps(items, (turn, index) => {
    const before = items[index - 1]
    // A reader takes consecutive assistant items as one turn.
    if (turn.role === 'assistant' && before?.role === turn.role) {
      losses.lose('turn-order', 'approximated')
    }
    return writeTurn(turn, customCalls, losses)
  })
  return instructions === undefined ? { input } : { instructions, input }
}

/** Returns the first system text, if the turn is a single plain text. */
function plainInstructions(turn: Turn, losses: LossList): string | undefined {
  if (turn.role !== 'system' || turn.authority !== 'system' || turn.name !== undefined) return undefined
  const [block, ...others] = turn.content
  if (block?.type !== 'text' || block.text === '' || others.length > 0) return undefined
  const { type: _type, text, extras, ...more } = block
  const own = [turn.extras, extras].some((fields) => fields?.format === 'responses')
  if (own || Object.keys(more).length > 0) return undefined
  loseExtras(turn.extras, { losses, path: 'messages' })
  loseExtras(extras, { losses, path: 'messages.content' })
  return text
}

function writeTurn(turn: Turn, customCalls: ReadonlySet<string>, losses: LossList): readonly JsonObject[] {
  switch (turn.role) {
    case 'tool':
      return turn.results.map((result) => writeToolResult(result, customCalls.has(result.callId), losses))
    case 'assistant': {
      loseName(turn.name, losses)
      loseExtras(turn.extras, { losses, path: 'messages' })
      const items = turn.content.map((block) => writeAssistant(block, { losses, side: 'request' }))
      const written = items.filter((item) => item !== undefined)
      if (turn.content.length === 0) losses.lose('turn-order', 'approximated')
      return written
    }
    default: {
      loseName(turn.name, losses)
      const role = turn.role === 'user' ? turn.role : turn.authority
      const content = writeParts(turn.content, losses)
      return [withExtras({ type: 'message', role, content }, turn.extras, { losses, path: 'messages' })]
    }
  }
}

function loseName(name: string | undefined, losses: LossList): void {
  if (name !== undefined) losses.lose('participant-name', 'dropped')
}
