import { unnamedReasoning } from '../../../canonical/carried-reasoning.ts'
import type { RedactedThinkingBlock, ThinkingBlock } from '../../../canonical/content.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { loseExtras } from '../../fields/extras.ts'
import { writeReasoningDetail } from '../values/reasoning-details.ts'
import type { WriteContext } from './write-context.ts'

type Thinking = ThinkingBlock | RedactedThinkingBlock

/** Writes reasoning as a part of the content, in Mistral's form. */
export function writeThinkingPart({ text }: ThinkingBlock): JsonObject {
  return { type: 'thinking', thinking: [{ type: 'text', text }] }
}

/** Writes the reasoning of earlier turns in the field from which the dialect's server reads it. */
export function writeThinking(blocks: readonly Thinking[], context: WriteContext): JsonObject {
  const { reasoningReplay, missingReasoning } = context.dialect
  if (blocks.length === 0) {
    const isField = reasoningReplay === 'reasoning_content' || reasoningReplay === 'reasoning'
    if (missingReasoning === undefined || !isField) return {}
    context.losses.lose('thinking', 'defaulted')
    return { [reasoningReplay]: missingReasoning }
  }
  if (reasoningReplay === 'reasoning_details') {
    for (const block of blocks) loseForeignExtras(block, context)
    return { reasoning_details: blocks.map((block, index) => writeReasoningDetail(block, index)) }
  }
  for (const block of blocks) {
    if (block.type === 'redacted-thinking') context.losses.lose('redacted-thinking', 'dropped')
    else if (block.signature !== undefined) context.losses.lose('thinking-signature', 'dropped')
    loseExtras(unnamedReasoning(block), { losses: context.losses, path: 'messages.reasoning_details' })
  }
  const texts = blocks.filter((block) => block.type === 'thinking').map((block) => block.text)
  if (texts.length === 0 || reasoningReplay === 'thinking_parts') return {}
  if (reasoningReplay === 'none') {
    context.losses.lose('thinking', 'dropped')
    return {}
  }
  if (texts.length > 1) context.losses.lose('block-order', 'approximated')
  return { [reasoningReplay]: texts.join('') }
}

function loseForeignExtras(block: Thinking, context: WriteContext): void {
  if (block.extras?.format === 'chat') return
  loseExtras(unnamedReasoning(block), { losses: context.losses, path: 'messages.content' })
}
