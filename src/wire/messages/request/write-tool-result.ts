import type { ToolResultBlock } from '../../../canonical/content.ts'
import type { Extras } from '../../../canonical/format.ts'
import type { LossList } from '../../../canonical/loss.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { fillFailedResult, sayFailure } from '../../claude-models/fit-failed-result.ts'
import { withExtras } from '../values/extras.ts'
import { writeCacheControl } from '../values/write-cache-control.ts'
import { writeContent } from './write-content.ts'
import { writeEach } from './write-each.ts'
import { textOrBlocks } from './write-text.ts'

export function writeToolResult(original: ToolResultBlock, losses: LossList): JsonObject {
  const result = sayFailure(fillFailedResult(original, losses), losses)
  const content = writeResultContent(result, losses)
  const written = {
    type: 'tool_result',
    tool_use_id: result.callId,
    ...(content === undefined ? {} : { content }),
    ...(result.isError ? { is_error: true } : {}),
    ...writeCacheControl(result.cache),
  }
  const path = result.extras?.format === 'chat' ? 'messages' : 'messages.content'
  return withExtras(written, withoutToolName(result.extras), { losses, path })
}

/** Removes the tool's name, which many chat clients add to a result. The call already names the tool. */
function withoutToolName(extras: Extras | undefined): Extras | undefined {
  if (extras?.format !== 'chat') return extras
  const { name: _name, ...fields } = extras.fields
  return { format: 'chat', fields }
}

/** A plain text is written as a string, because a string may be blank and a text block may not. */
function writeResultContent(result: ToolResultBlock, losses: LossList) {
  const [first, ...others] = result.content
  if (first === undefined) return undefined
  const isPlain = first.type === 'text' && others.length === 0 && Object.keys(first).length === 2
  if (isPlain) return first.text
  const blocks = writeEach(result.content, (block) => writeContent(block, losses))
  return blocks.length === 0 ? undefined : textOrBlocks(blocks)
}
