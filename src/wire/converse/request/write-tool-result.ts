import type { ToolResultBlock } from '../../../canonical/content.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { fillFailedResult, sayFailure } from '../../claude-models/fit-failed-result.ts'
import { withExtras } from '../values/extras.ts'
import { listOf, writeContent } from './write-content.ts'
import type { WriteContext } from './write-context.ts'

/**
 * The content of an empty result. Some models refuse a result without any block, and all take an empty text
 * (https://github.com/strands-agents/harness-sdk/issues/2122 and its pull request 2123, seen 2026-11-30).
 */
const emptyContent: readonly JsonObject[] = [{ text: '' }]

export function writeToolResult(original: ToolResultBlock, context: WriteContext): JsonObject {
  const { losses, dialect } = context
  const filled = fillFailedResult(original, losses)
  const result = dialect.messagesModel === undefined ? filled : sayFailure(filled, losses)
  const content = result.content.flatMap((block) => {
    if ('cache' in block && block.cache !== undefined) context.losses.lose('cache-mark', 'dropped')
    // A blank text is a valid result, unlike a blank text block.
    if (block.type === 'text' && block.text.trim() === '') return [{ text: block.text }]
    return listOf(writeContent(block, context))
  })
  if (content.length === 0) losses.lose('tool-result-content', 'defaulted')
  const written = {
    toolUseId: result.callId,
    content: content.length === 0 ? emptyContent : content,
    ...(result.isError ? { status: 'error' } : {}),
  }
  const { extras } = result
  // Many chat clients add the tool's name to its result. The call already names the tool.
  const { name: _name, ...named } = extras?.format === 'chat' ? extras.fields : {}
  const remaining = extras?.format === 'chat' ? { ...extras, fields: named } : extras
  return { toolResult: withExtras(written, remaining, { losses, path: 'messages.content' }) }
}
