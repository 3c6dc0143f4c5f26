import type { AssistantBlock, AudioBlock, TextBlock, ToolCallBlock } from '../../../canonical/content.ts'
import type { LossList } from '../../../canonical/loss.ts'
import type { BlockStart } from '../../../canonical/reply-event.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { writeOpaque } from '../../fields/write-opaque.ts'
import { writeToolInput } from '../../tools/write-tool-input.ts'
import { withExtras } from '../values/extras.ts'
import { writeCacheControl } from '../values/write-cache-control.ts'
import { writeReplyCitation } from '../values/write-citation.ts'
import { carryCallId } from './carry-call-id.ts'
import type { BlockTarget } from './write-context.ts'
import { writeEach } from './write-each.ts'
import { writeTextBlock } from './write-text.ts'
import { writeRedactedThinking, writeThinking } from './write-thinking.ts'

export type TextStart = Extract<BlockStart, { readonly type: 'text' | 'refusal' | 'audio' }>

/** Writes a block of the assistant. Undefined if the format cannot carry it. */
export function writeAssistant(block: AssistantBlock, target: BlockTarget): JsonObject | undefined {
  const { losses, side } = target
  const at = { losses, path: side === 'request' ? 'messages.content' : 'content' }
  switch (block.type) {
    case 'text':
      if (side === 'request') return writeTextBlock(block, losses)
      return isSilent(block) ? dropSilent(block, losses) : writeReplyText(block, losses)
    case 'thinking':
      return writeThinking(block, target)
    case 'redacted-thinking':
      return writeRedactedThinking(block, target)
    case 'tool-call':
      return writeToolCall(block, target)
    case 'refusal':
      if (side === 'reply' && block.text === '') return dropSilent(block, losses)
      losses.lose('refusal', 'approximated')
      withExtras({}, block.extras, at)
      return writeAssistant({ type: 'text', text: block.text }, target)
    case 'audio':
      return writeTranscript(block, target)
    case 'image':
      losses.lose('image', 'dropped')
      return undefined
    case 'opaque':
      return writeOpaque(block, 'messages', losses)
  }
}

/** Writes the text block of an answer with which a text, a refusal or a transcript starts in a stream. */
export function writeTextStart(start: TextStart, losses: LossList): JsonObject {
  if (start.type === 'text') return writeReplyText({ ...start, text: '' }, losses)
  if (start.type === 'refusal') {
    losses.lose('refusal', 'approximated')
    withExtras({}, start.extras, { losses, path: 'content' })
  }
  return writeReplyText({ type: 'text', text: '' }, losses)
}

/** Whether a text of an answer has nothing to show. The API sends no such block, and refuses one that is sent back. */
function isSilent({ text, citations = [] }: TextBlock): boolean {
  return text === '' && citations.length === 0
}

/** Leaves out a block without text. Its fields of other formats are lost as those of any block. */
export function dropSilent({ extras }: Pick<TextBlock, 'extras'>, losses: LossList): undefined {
  withExtras({}, extras, { losses, path: 'content' })
  return undefined
}

function writeReplyText(block: TextBlock, losses: LossList): JsonObject {
  const citations = writeEach(block.citations ?? [], (citation) => writeReplyCitation(citation, losses))
  const written = { type: 'text', text: block.text, citations: citations.length === 0 ? null : citations }
  return withExtras(written, block.extras, { losses, path: 'content' })
}

function writeToolCall(block: ToolCallBlock, { losses, side }: BlockTarget): JsonObject {
  const written = {
    type: 'tool_use',
    id: side === 'reply' ? carryCallId(block.id) : block.id,
    name: block.name,
    input: writeToolInput(block, losses),
    ...writeCacheControl(block.cache),
  }
  const whole = withExtras(written, block.extras, { losses, path: 'messages.content' })
  // The types of replies require a `caller`. By default it is the model itself.
  return side === 'reply' ? { caller: { type: 'direct' }, ...whole } : whole
}

/** Writes audio as the text of its transcript. Undefined if there is no transcript. */
function writeTranscript(block: AudioBlock, target: BlockTarget): JsonObject | undefined {
  const text = block.transcript ?? ''
  target.losses.lose('audio', text === '' ? 'dropped' : 'approximated')
  return text === '' ? undefined : writeAssistant({ type: 'text', text }, target)
}
