import {
  isGeminiReasoning,
  isResponsesReasoning,
  packReasoning,
  UNSIGNED,
  unnamedReasoning,
} from '../../../canonical/carried-reasoning.ts'
import type { RedactedThinkingBlock, ThinkingBlock } from '../../../canonical/content.ts'
import type { Extras } from '../../../canonical/format.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { isOfAnotherMaker } from '../../claude-models/is-of-another-maker.ts'
import { withExtras } from '../values/extras.ts'
import type { BlockTarget } from './write-context.ts'

/** Writes thinking. The provider refuses thinking that it did not sign. A caller's types require a signature. */
export function writeThinking(block: ThinkingBlock, { losses, side }: BlockTarget): JsonObject | undefined {
  if (side === 'request' && (block.signature === undefined || isOfAnotherMaker(block))) {
    losses.lose('thinking', 'dropped')
    return undefined
  }
  const written = { type: 'thinking', thinking: block.text, signature: writeSignature(block) }
  return withExtras(written, ownExtras(block), { losses, path: 'messages.content' })
}

export function writeRedactedThinking(
  block: RedactedThinkingBlock,
  { losses, side }: BlockTarget,
): JsonObject | undefined {
  if (side === 'request' && isOfAnotherMaker(block)) {
    losses.lose('thinking', 'dropped')
    return undefined
  }
  const written = {
    type: 'redacted_thinking',
    data: mustPack(block) ? packReasoning(block) : block.data,
  }
  return withExtras(written, ownExtras(block), { losses, path: 'messages.content' })
}

/**
 * The signature for a caller. A signature of another format is packed, so that the caller can return it and no provider
 * mistakes it for its own. Unsigned thinking gets a mark, because the format's own provider, which may be the next
 * target, would refuse an empty signature.
 */
export function writeSignature(block: ThinkingBlock): string {
  if (block.signature === undefined) return UNSIGNED
  return mustPack(block) ? packReasoning(block) : block.signature
}

/** Whether clients and providers could mistake this signature of another format for their own. */
function mustPack(block: ThinkingBlock | RedactedThinkingBlock): boolean {
  return isResponsesReasoning(block) || isGeminiReasoning(block)
}

/** Fields with which the chat format numbers its reasoning details. They have no meaning in this format. */
const bookkeeping: ReadonlySet<string> = new Set(['id', 'index', 'format'])

function ownExtras(block: ThinkingBlock | RedactedThinkingBlock): Extras | undefined {
  const extras = unnamedReasoning(block)
  if (extras?.format !== 'chat') return extras
  const fields = Object.entries(extras.fields).filter(([name]) => !bookkeeping.has(name))
  return fields.length === 0 ? undefined : { format: 'chat', fields: Object.fromEntries(fields) }
}
