import { isGeminiReasoning } from '../../canonical/carried-reasoning.ts'
import type { AssistantBlock, ThinkingBlock } from '../../canonical/content.ts'

/**
 * Thoughts of another maker are given to callers as words, piece by piece, and their proof on the part that follows.
 * Here the words are joined again, and put back to their proof.
 */
export function joinThoughts(content: readonly AssistantBlock[]): readonly AssistantBlock[] {
  const joined: AssistantBlock[] = []
  for (const block of content) {
    const before = joined.at(-1)
    if (isWords(before) && goesOn(block))
      joined[joined.length - 1] = { ...block, text: before.text + block.text }
    else joined.push(block)
  }
  return joined
}

/** Words of a thought without a proof. */
function isWords(block: AssistantBlock | undefined): block is ThinkingBlock {
  return block?.type === 'thinking' && block.signature === undefined && block.extras === undefined
}

/** More of these words, or the proof of another maker's words, which has none itself. */
function goesOn(block: AssistantBlock): block is ThinkingBlock {
  if (block.type !== 'thinking') return false
  return isWords(block) || (block.text === '' && block.signature !== undefined && !isGeminiReasoning(block))
}
