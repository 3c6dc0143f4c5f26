import { isGeminiReasoning, isResponsesReasoning } from '../../canonical/carried-reasoning.ts'
import type { RedactedThinkingBlock, ThinkingBlock } from '../../canonical/content.ts'

/**
 * Whether a block was signed by another maker. Only its maker can check what was signed; chat gateways name the maker
 * in the detail's `format`.
 */
export function isOfAnotherMaker(block: ThinkingBlock | RedactedThinkingBlock): boolean {
  if (isResponsesReasoning(block) || isGeminiReasoning(block)) return true
  const { extras } = block
  const maker = extras?.format === 'chat' ? extras.fields['format'] : undefined
  return typeof maker === 'string' && !maker.includes('claude')
}
