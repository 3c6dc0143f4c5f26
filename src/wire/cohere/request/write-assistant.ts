import type { AssistantBlock, ToolCallBlock } from '../../../canonical/content.ts'
import { FREE_TEXT_PROPERTY } from '../../../canonical/restore-calls.ts'
import { unreachable } from '../../../kit/errors/unreachable.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { loseExtras } from '../../fields/extras.ts'
import { loseMark } from '../../fields/lose.ts'
import { loseOpaque } from '../../fields/write-opaque.ts'
import { writeArguments } from '../../tools/write-tool-input.ts'
import { contentOf, writeText } from './write-content.ts'
import type { WriteContext } from './write-context.ts'
import { writePlan, writeThinking } from './write-thinking.ts'

/**
 * Writes one message. Content and calls are in separate fields, so only the order within each field survives. For a
 * model without a thinking mode, reasoning before calls becomes its plan.
 */
export function writeAssistant(
  blocks: readonly AssistantBlock[],
  context: WriteContext,
): readonly JsonObject[] {
  const calls = blocks.filter((block) => block.type === 'tool-call')
  const isPlan = context.dialect.reasoning === 'none'
  const thoughts = isPlan ? writePlan(blocks, calls.length > 0, context) : undefined
  if (!isInOrder(blocks, isPlan)) context.losses.lose('block-order', 'approximated')
  const parts = blocks
    .map((block) => writeBlock(block, isPlan, context))
    .filter((part) => part !== undefined)
    // The provider refuses an empty text if the message has nothing else.
    .filter((part) => part['text'] !== '')
  if (parts.length === 0 && calls.length === 0) {
    context.losses.lose('turn-order', 'approximated')
    return []
  }
  const message = omitUndefined({
    role: 'assistant',
    tool_plan: thoughts,
    content: parts.length === 0 ? undefined : contentOf(parts),
    tool_calls: calls.length === 0 ? undefined : calls.map((call) => writeCall(call, context)),
  })
  return [message]
}

/** Whether the blocks are already in the order of the message's fields: plan, content, calls. */
function isInOrder(blocks: readonly AssistantBlock[], isPlan: boolean): boolean {
  const rankOf = ({ type }: AssistantBlock) => {
    if (type === 'tool-call') return 2
    return isPlan && type === 'thinking' ? 0 : 1
  }
  return blocks.every((block, index) => {
    const before = blocks[index - 1]
    return before === undefined || rankOf(before) <= rankOf(block)
  })
}

function writeBlock(block: AssistantBlock, isPlan: boolean, context: WriteContext): JsonObject | undefined {
  if (block.type === 'tool-call') return undefined
  if (block.type === 'thinking' || block.type === 'redacted-thinking')
    return isPlan ? undefined : writeThinking(block, context)
  if ('extras' in block) loseExtras(block.extras, { losses: context.losses, path: 'messages.content' })
  switch (block.type) {
    case 'text':
      loseMark(block.cache, context)
      return writeText(block, context)
    case 'refusal':
      context.losses.lose('refusal', 'approximated')
      return { type: 'text', text: block.text }
    case 'audio': {
      const text = block.transcript ?? ''
      context.losses.lose('audio', text === '' ? 'dropped' : 'approximated')
      return { type: 'text', text }
    }
    case 'image':
      context.losses.lose('image', 'dropped')
      return undefined
    case 'opaque':
      return loseOpaque(block, context.losses)
    default:
      return unreachable(block)
  }
}

/** Writes a call. The format requires a JSON object: free text becomes its only property. */
function writeCall(call: ToolCallBlock, context: WriteContext): JsonObject {
  const { id, name, kind, input } = call
  loseMark(call.cache, context)
  loseExtras(call.extras, { losses: context.losses, path: 'messages.tool_calls' })
  if (kind === 'custom') {
    context.losses.lose('custom-tool', 'approximated')
    const text = JSON.stringify({ [FREE_TEXT_PROPERTY]: input })
    return { id, type: 'function', function: { name, arguments: text } }
  }
  return { id, type: 'function', function: { name, arguments: writeArguments(input, context.losses) } }
}
