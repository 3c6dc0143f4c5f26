import type { ToolResultBlock, ToolResultContent } from '../../../canonical/content.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { loseExtras } from '../../fields/extras.ts'
import { loseMark } from '../../fields/lose.ts'
import { saysError } from '../../fields/says-error.ts'
import { withExtras } from '../values/extras.ts'
import { toolCallId } from '../values/tool-call-id.ts'
import { textOrParts, writeContent, writeParts } from './write-content.ts'
import { cacheMarkField, type WriteContext } from './write-context.ts'

/**
 * Writes one message for each result, then the content that tool messages cannot hold. Images and files follow in a
 * user message, since most servers of the format accept only text from tools.
 */
export function writeToolResults(
  results: readonly ToolResultBlock[],
  context: WriteContext,
): readonly JsonObject[] {
  if (!context.dialect.tools) return [writeAsWords(results, context)]
  const messages = results.map((result) => writeResult(result, context))
  const moved = results.flatMap((result) => writeMoved(result, context))
  return moved.length === 0 ? messages : [...messages, { role: 'user', content: moved }]
}

function staysInResult(block: ToolResultContent): boolean {
  return block.type === 'text' || block.type === 'search-result' || block.type === 'opaque'
}

function writeResult(result: ToolResultBlock, context: WriteContext): JsonObject {
  const parts = writeParts(result.content.filter(staysInResult), context)
  if (result.isError) context.losses.lose('tool-result-error', 'approximated')
  const message = {
    role: 'tool',
    tool_call_id: toolCallId(result.callId, context.dialect),
    content: textOrParts(result.isError ? withErrorWord(parts) : parts, context),
    ...cacheMarkField(result.cache, context),
  }
  return withExtras(message, result.extras, { losses: context.losses, path: 'messages' })
}

/** Writes tool results as text of the user, for servers without tools. */
function writeAsWords(results: readonly ToolResultBlock[], context: WriteContext): JsonObject {
  context.losses.lose('foreign-field', 'approximated', 'messages.tool_call_id')
  const parts = results.flatMap((result) => {
    loseMark(result.cache, context)
    loseExtras(result.extras, { losses: context.losses, path: 'messages' })
    const words = result.isError ? 'The tool call failed:' : 'Result of the tool call:'
    return [{ type: 'text', text: words }, ...writeParts(result.content, context)]
  })
  return { role: 'user', content: textOrParts(parts, context) }
}

/** Writes a text before the images of a result, which names the call that they belong to. */
function writeMoved(result: ToolResultBlock, context: WriteContext): readonly JsonObject[] {
  if (result.content.every(staysInResult)) return []
  const moved = result.content
    .filter((block) => !staysInResult(block))
    .map((block) => writeContent(block, context))
    .filter((part) => part !== undefined)
  if (moved.length === 0) return []
  context.losses.lose('tool-result-content', 'approximated')
  return [{ type: 'text', text: `Attached to the result of the tool call ${result.callId}:` }, ...moved]
}

/**
 * The format cannot mark a result as failed. Its text therefore gets the word "Error" in front, unless it already
 * begins with it.
 */
function withErrorWord(parts: readonly JsonObject[]): readonly JsonObject[] {
  const [first, ...rest] = parts
  const text = first?.['text']
  if (typeof text !== 'string') return [{ type: 'text', text: 'Error' }, ...parts]
  if (saysError(text)) return parts
  return [{ ...first, text: `Error: ${text}` }, ...rest]
}
