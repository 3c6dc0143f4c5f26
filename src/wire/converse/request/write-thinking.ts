import type { RedactedThinkingBlock, ThinkingBlock } from '../../../canonical/content.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { isOfAnotherMaker } from '../../claude-models/is-of-another-maker.ts'
import { withExtras } from '../values/extras.ts'
import type { WriteContext } from './write-context.ts'

/** Writes thinking. Only Claude accepts earlier thinking, and only thinking that it signed. */
export function writeThinking(
  block: ThinkingBlock | RedactedThinkingBlock,
  context: WriteContext,
): JsonObject | undefined {
  const isSigned = block.type === 'redacted-thinking' || (block.signature ?? '') !== ''
  if (context.model.reasoning !== 'thinking' || !isSigned || isOfAnotherMaker(block)) {
    context.losses.lose(block.type, 'dropped')
    return undefined
  }
  if (block.type === 'redacted-thinking') return { reasoningContent: { redactedContent: block.data } }
  const { text, signature = '', extras } = block
  const own = extras?.format === 'converse' ? extras : undefined
  const reasoningText = withExtras({ text, signature }, own, {
    losses: context.losses,
    path: 'messages.content',
  })
  return { reasoningContent: { reasoningText } }
}
