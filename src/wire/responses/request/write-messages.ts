import type { ToolResultBlock } from '../../../canonical/content.ts'
import type { LossList } from '../../../canonical/loss.ts'
import type { Turn } from '../../../canonical/request.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { dropHollowTurns } from '../../fields/drop-hollow-turns.ts'
import { loseExtras } from '../../fields/extras.ts'
import { shortenCallId } from '../../fields/shorten-call-id.ts'
import { withExtras } from '../values/extras.ts'
import { MAX_CALL_ID_CHARACTERS, writeItem } from './write-assistant.ts'
import { loseMark, writeParts } from './write-content.ts'

/** The conversation as `instructions` and `input`. */
export function writeInput(asked: readonly Turn[], losses: LossList): JsonObject {
  const turns = dropHollowTurns(asked, 'responses', losses)
  const [first, ...others] = turns
  const instructions =
    first === undefined || others.length === 0 ? undefined : plainInstructions(first, losses)
  const items = instructions === undefined ? turns : others
  const customCalls = findCustomCalls(turns)
  const input = items.flatMap((turn, index) => {
    const before = items[index - 1]
    // Items of the assistant that follow one another are one turn.
    if (turn.role === 'assistant' && before?.role === turn.role) {
      losses.add({ feature: 'turn-order', kind: 'approximated' })
    }
    return writeTurn(turn, customCalls, losses)
  })
  return instructions === undefined ? { input } : { instructions, input }
}

/** The system's first words, where they are one plain text. */
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

/** What a custom tool gave is an item of another kind, and the result alone does not say it. */
function findCustomCalls(turns: readonly Turn[]): ReadonlySet<string> {
  const blocks = turns.flatMap((turn) => (turn.role === 'assistant' ? turn.content : []))
  return new Set(blocks.flatMap((block) => (isCustomCall(block) ? [block.id] : [])))
}

type CustomCall = { readonly type: 'tool-call'; readonly kind: 'custom'; readonly id: string }

function isCustomCall(block: object): block is CustomCall {
  return 'type' in block && block.type === 'tool-call' && 'kind' in block && block.kind === 'custom'
}

function writeTurn(turn: Turn, customCalls: ReadonlySet<string>, losses: LossList): readonly JsonObject[] {
  switch (turn.role) {
    case 'tool':
      return turn.results.map((result) => writeResult(result, customCalls.has(result.callId), losses))
    case 'assistant': {
      loseName(turn.name, losses)
      loseExtras(turn.extras, { losses, path: 'messages' })
      const items = turn.content.map((block) => writeItem(block, { losses, side: 'request' }))
      const written = items.filter((item) => item !== undefined)
      if (turn.content.length === 0) losses.add({ feature: 'turn-order', kind: 'approximated' })
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
  if (name !== undefined) losses.add({ feature: 'participant-name', kind: 'dropped' })
}

function writeResult(result: ToolResultBlock, isCustom: boolean, losses: LossList): JsonObject {
  loseMark(result.cache, losses)
  if (result.isError) losses.add({ feature: 'tool-result-error', kind: 'approximated' })
  const parts = writeParts(result.content, losses)
  const item = {
    type: isCustom ? 'custom_tool_call_output' : 'function_call_output',
    call_id: shortenCallId(result.callId, MAX_CALL_ID_CHARACTERS),
    output: outputOf(result.isError ? withErrorWord(parts) : parts),
  }
  return withExtras(item, result.extras, { losses, path: 'messages' })
}

/** One plain text, or none, is a string; anything else is a list. */
function outputOf(parts: readonly JsonObject[]): JsonValue {
  const [first, ...others] = parts
  if (first === undefined) return ''
  const { type, text, ...more } = first
  const isPlain = type === 'input_text' && typeof text === 'string' && text !== ''
  return isPlain && others.length === 0 && Object.keys(more).length === 0 ? text : parts
}

const SAYS_ERROR = /^\W*(?:\w+_)*error/i

/** The format cannot mark a result as failed, so its text begins with the word where it does not say so itself. */
function withErrorWord(parts: readonly JsonObject[]): readonly JsonObject[] {
  const [first, ...rest] = parts
  const text = first?.['text']
  if (typeof text !== 'string') return [{ type: 'input_text', text: 'Error' }, ...parts]
  return SAYS_ERROR.test(text) ? parts : [{ ...first, text: `Error: ${text}` }, ...rest]
}
