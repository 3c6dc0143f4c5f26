import type { AssistantBlock, Citation, TextBlock, ToolCallBlock } from '../../../canonical/content.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { writeOpaque } from '../../fields/write-opaque.ts'
import { writeToolInput } from '../../tools/write-tool-input.ts'
import { withExtras } from '../values/extras.ts'
import { writeText } from './write-content.ts'
import type { WriteContext } from './write-context.ts'
import { writeAudio } from './write-media.ts'
import { writeThinking } from './write-thinking.ts'

/** Writes a block of the assistant. Undefined if the format or this model cannot carry the block. */
export function writeAssistant(block: AssistantBlock, context: WriteContext): JsonObject | undefined {
  switch (block.type) {
    case 'text':
      return writeSaid(block, context)
    case 'thinking':
    case 'redacted-thinking':
      return writeThinking(block, context)
    case 'tool-call':
      return writeCall(block, context)
    case 'refusal':
      context.losses.lose('refusal', 'approximated')
      return writeText({ ...block, type: 'text' }, context)
    case 'audio':
      return writeAudio({ type: 'audio', transcript: block.transcript ?? '' }, context)
    case 'image':
      context.losses.lose('image', 'dropped')
      return undefined
    case 'opaque':
      return writeOpaque(block, 'converse', context.losses)
  }
}

/** Writes text with its citations. Only citations of this format are carried. */
function writeSaid(block: TextBlock, context: WriteContext): JsonObject | undefined {
  const { citations = [] } = block
  const own = citations.filter(({ extras }) => extras?.format === 'converse')
  if (own.length < citations.length) context.losses.lose('citations', 'dropped')
  const written = writeText(block, context)
  if (written === undefined || own.length === 0) return written
  return { citationsContent: { content: [{ text: block.text }], citations: own.map(writeCitation) } }
}

function writeCitation({ title, citedText, extras }: Citation): JsonObject {
  return {
    ...(title === undefined ? {} : { title }),
    ...(citedText === undefined ? {} : { sourceContent: [{ text: citedText }] }),
    ...extras?.fields,
  }
}

function writeCall(block: ToolCallBlock, context: WriteContext): JsonObject {
  const { losses } = context
  const written = { toolUseId: block.id, name: block.name, input: writeToolInput(block, losses) }
  return { toolUse: withExtras(written, block.extras, { losses, path: 'messages.content' }) }
}
