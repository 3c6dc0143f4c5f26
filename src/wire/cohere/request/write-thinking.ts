import { unnamedReasoning } from '../../../canonical/carried-reasoning.ts'
import type { AssistantBlock, RedactedThinkingBlock, ThinkingBlock } from '../../../canonical/content.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { loseExtras } from '../../fields/extras.ts'
import type { WriteContext } from './write-context.ts'

export function writeThinking(
  block: ThinkingBlock | RedactedThinkingBlock,
  context: WriteContext,
): JsonObject | undefined {
  loseExtras(unnamedReasoning(block), { losses: context.losses, path: 'messages.content' })
  if (block.type === 'redacted-thinking') {
    context.losses.lose('redacted-thinking', 'dropped')
    return undefined
  }
  if (block.signature !== undefined) context.losses.lose('thinking-signature', 'dropped')
  return block.text === '' ? undefined : { type: 'thinking', thinking: block.text }
}

/** Writes `tool_plan`, the only field for thoughts before calls. Without calls there is no field for thoughts. */
export function writePlan(
  blocks: readonly AssistantBlock[],
  hasCalls: boolean,
  context: WriteContext,
): string | undefined {
  const thoughts = blocks
    .filter((block) => block.type === 'thinking' || block.type === 'redacted-thinking')
    .map((block) => writeThinking(block, context)?.['thinking'])
    .filter((text) => text !== undefined)
  if (thoughts.length === 0) return undefined
  if (!hasCalls) context.losses.lose('thinking', 'dropped')
  else if (thoughts.length > 1) context.losses.lose('block-order', 'approximated')
  return hasCalls ? thoughts.join('\n\n') : undefined
}
