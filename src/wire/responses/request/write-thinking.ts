import { isResponsesReasoning, packReasoning } from '../../../canonical/carried-reasoning.ts'
import type { RedactedThinkingBlock, ThinkingBlock } from '../../../canonical/content.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { loseExtras } from '../../fields/extras.ts'
import type { BlockTarget } from './write-context.ts'

type Reasoning = ThinkingBlock | RedactedThinkingBlock

/**
 * A provider rejects reasoning that it did not encrypt itself, so reasoning of other providers is left out of requests.
 * Callers get a foreign signature in packed form, and send it back.
 */
export function writeThinking(block: Reasoning, { losses, side }: BlockTarget): JsonObject | undefined {
  const signature = block.type === 'thinking' ? block.signature : block.data
  const isOwn = isResponsesReasoning(block)
  if (side === 'request' && (!isOwn || signature === undefined)) {
    losses.lose('thinking', 'dropped')
    return undefined
  }
  if (side === 'request' && block.type === 'redacted-thinking') {
    losses.lose('redacted-thinking', 'approximated')
  }
  const text = block.type === 'thinking' ? block.text : ''
  const written = {
    type: 'reasoning',
    summary: text === '' ? [] : [{ type: 'summary_text', text }],
    ...(signature === undefined ? {} : { encrypted_content: isOwn ? signature : packReasoning(block) }),
  }
  const { extras } = block
  if (extras?.format === 'responses') {
    const { id, ...fields } = extras.fields
    return { ...fields, ...(typeof id === 'string' && id !== '' ? { id } : {}), ...written }
  }
  if (signature === undefined) loseExtras(extras, { losses, path: 'messages.reasoning' })
  return written
}
