import { isGeminiReasoning, isResponsesReasoning } from '../../canonical/carried-reasoning.ts'
import type { RedactedThinkingBlock, ThinkingBlock } from '../../canonical/content.ts'

/**
 * Whether a block was signed by another maker. Only the maker of a signature can check it. Chat gateways name the maker
 * in the `format` of a reasoning detail.
 */
export function isOfAnotherMaker(block: ThinkingBlock | RedactedThinkingBlock): boolean {
  if (isResponsesReasoning(block) || isGeminiReasoning(block)) return true
  const { extras } = block
  const maker = extras?.format === 'chat' ? extras.fields['format'] : undefined
  return typeof maker === 'string' && !maker.includes('claude')
}
