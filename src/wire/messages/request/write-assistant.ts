import {
  isGeminiReasoning,
  isResponsesReasoning,
  packReasoning,
  UNSIGNED,
  unnamedReasoning,
} from '../../../canonical/carried-reasoning.ts'
import type {
  AssistantBlock,
  AudioBlock,
  RedactedThinkingBlock,
  TextBlock,
  ThinkingBlock,
  ToolCallBlock,
} from '../../../canonical/content.ts'
import type { Extras } from '../../../canonical/format.ts'
import type { LossList } from '../../../canonical/loss.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { isOfAnotherMaker } from '../../claude/is-of-another-maker.ts'
import { writeToolInput } from '../../fields/write-tool-input.ts'
import { writeTextBlock } from '../blocks/write-text-block.ts'
import { withExtras } from '../values/extras.ts'
import { writeCacheControl } from '../values/write-cache-control.ts'
import { writeReplyCitation } from '../values/write-citation.ts'
import { carryCallId } from './carry-call-id.ts'
import { writeOpaqueBlock } from './write-content.ts'
import { writeEach } from './write-each.ts'

/**
 * `request`: for the provider, which checks what it gets. `reply`: for a caller, whose types demand every field and
 * who sends the block back in the next request.
 */
export interface AssistantBlockTarget {
  readonly losses: LossList
  readonly side: 'request' | 'reply'
}

/** A block of what the model said; undefined where the format has no place for it. */
export function writeAssistantBlock(
  block: AssistantBlock,
  target: AssistantBlockTarget,
): JsonObject | undefined {
  const { losses, side } = target
  const at = { losses, path: side === 'request' ? 'messages.content' : 'content' }
  switch (block.type) {
    case 'text':
      return side === 'request' ? writeTextBlock(block, losses) : writeReplyText(block, losses)
    case 'thinking':
      return writeThinking(block, target)
    case 'redacted-thinking':
      return writeRedactedThinking(block, target)
    case 'tool-call':
      return writeToolCall(block, target)
    case 'refusal':
      losses.add({ feature: 'refusal', kind: 'approximated' })
      withExtras({}, block.extras, at)
      return writeAssistantBlock({ type: 'text', text: block.text }, target)
    case 'audio':
      return writeTranscript(block, target)
    case 'image':
      losses.add({ feature: 'image', kind: 'dropped' })
      return undefined
    case 'opaque':
      return writeOpaqueBlock(block, losses)
  }
}

function writeReplyText(block: TextBlock, losses: LossList): JsonObject {
  const citations = writeEach(block.citations ?? [], (citation) => writeReplyCitation(citation, losses))
  const written = { type: 'text', text: block.text, citations: citations.length === 0 ? null : citations }
  return withExtras(written, block.extras, { losses, path: 'content' })
}

/** The provider refuses thinking that it did not sign; a caller's types demand the field, so there it is empty. */
function writeThinking(block: ThinkingBlock, { losses, side }: AssistantBlockTarget): JsonObject | undefined {
  if (side === 'request' && (block.signature === undefined || isOfAnotherMaker(block))) {
    losses.add({ feature: 'thinking', kind: 'dropped' })
    return undefined
  }
  const written = { type: 'thinking', thinking: block.text, signature: writeSignature(block) }
  return withExtras(written, ownExtras(block), { losses, path: 'messages.content' })
}

function writeRedactedThinking(
  block: RedactedThinkingBlock,
  { losses, side }: AssistantBlockTarget,
): JsonObject | undefined {
  if (side === 'request' && isOfAnotherMaker(block)) {
    losses.add({ feature: 'thinking', kind: 'dropped' })
    return undefined
  }
  const written = {
    type: 'redacted_thinking',
    data: mustPack(block) ? packReasoning(block) : block.data,
  }
  return withExtras(written, ownExtras(block), { losses, path: 'messages.content' })
}

/**
 * A proof of another format is packed: the caller brings it back, and nobody takes it for one of his own. Thinking
 * without any is marked as such: the format's own provider, which may be asked next, would refuse an empty signature.
 */
export function writeSignature(block: ThinkingBlock): string {
  if (block.signature === undefined) return UNSIGNED
  return mustPack(block) ? packReasoning(block) : block.signature
}

/** Whether clients and providers would take the proof of another format for one of their own. */
function mustPack(block: ThinkingBlock | RedactedThinkingBlock): boolean {
  return isResponsesReasoning(block) || isGeminiReasoning(block)
}

/** What the chat format numbers its details with says nothing here. */
const bookkeeping: ReadonlySet<string> = new Set(['id', 'index', 'format'])

function ownExtras(block: ThinkingBlock | RedactedThinkingBlock): Extras | undefined {
  const extras = unnamedReasoning(block)
  if (extras?.format !== 'chat') return extras
  const fields = Object.entries(extras.fields).filter(([name]) => !bookkeeping.has(name))
  return fields.length === 0 ? undefined : { format: 'chat', fields: Object.fromEntries(fields) }
}

function writeToolCall(block: ToolCallBlock, { losses, side }: AssistantBlockTarget): JsonObject {
  const written = {
    type: 'tool_use',
    id: side === 'reply' ? carryCallId(block.id) : block.id,
    name: block.name,
    input: writeToolInput(block, losses),
    ...writeCacheControl(block.cache),
  }
  const whole = withExtras(written, block.extras, { losses, path: 'messages.content' })
  // The types of replies demand a caller; left unsaid it is the model itself.
  return side === 'reply' ? { caller: { type: 'direct' }, ...whole } : whole
}

/** What was spoken, as text where its words are known. */
function writeTranscript(block: AudioBlock, target: AssistantBlockTarget): JsonObject | undefined {
  const text = block.transcript ?? ''
  target.losses.add({ feature: 'audio', kind: text === '' ? 'dropped' : 'approximated' })
  return text === '' ? undefined : writeAssistantBlock({ type: 'text', text }, target)
}
