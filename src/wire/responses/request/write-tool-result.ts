import type { ToolResultBlock } from '../../../canonical/content.ts'
import type { LossList } from '../../../canonical/loss.ts'
import type { Turn } from '../../../canonical/request.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { loseMark } from '../../fields/lose.ts'
import { saysError } from '../../fields/says-error.ts'
import { shortenCallId } from '../../tools/shorten-call-id.ts'
import { withExtras } from '../values/extras.ts'
import { MAX_CALL_ID_CHARACTERS } from './write-assistant.ts'
import { writeParts } from './write-content.ts'

/**
 * Returns the IDs of the custom tools' calls. A custom tool's result is an item of another kind, which the result alone
 * does not show.
 */
export function findCustomCalls(turns: readonly Turn[]): ReadonlySet<string> {
  const blocks = turns.flatMap((turn) => (turn.role === 'assistant' ? turn.content : []))
  return new Set(blocks.flatMap((block) => (isCustomCall(block) ? [block.id] : [])))
}

type CustomCall = { readonly type: 'tool-call'; readonly kind: 'custom'; readonly id: string }

function isCustomCall(block: object): block is CustomCall {
  return 'type' in block && block.type === 'tool-call' && 'kind' in block && block.kind === 'custom'
}

export function writeToolResult(result: ToolResultBlock, isCustom: boolean, losses: LossList): JsonObject {
  loseMark(result.cache, { losses })
  if (result.isError) losses.lose('tool-result-error', 'approximated')
  const parts = writeParts(result.content, losses)
  const item = {
    type: isCustom ? 'custom_tool_call_output' : 'function_call_output',
    call_id: shortenCallId(result.callId, MAX_CALL_ID_CHARACTERS),
    output: outputOf(result.isError ? withErrorWord(parts) : parts),
  }
  return withExtras(item, result.extras, { losses, path: 'messages' })
}

/** A single plain text, or no part, becomes a string. Anything else becomes a list. */
function outputOf(parts: readonly JsonObject[]): JsonValue {
  const [first, ...others] = parts
  if (first === undefined) return ''
  const { type, text, ...more } = first
  const isPlain = type === 'input_text' && typeof text === 'string' && text !== ''
  return isPlain && others.length === 0 && Object.keys(more).length === 0 ? text : parts
}

/**
 * The format cannot mark a result as failed. Its text therefore gets the word "Error" in front, unless it already
 * begins with it.
 */
function withErrorWord(parts: readonly JsonObject[]): readonly JsonObject[] {
  const [first, ...rest] = parts
  const text = first?.['text']
  if (typeof text !== 'string') return [{ type: 'input_text', text: 'Error' }, ...parts]
  return saysError(text) ? parts : [{ ...first, text: `Error: ${text}` }, ...rest]
}
