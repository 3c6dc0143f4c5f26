import { isGeminiReasoning } from '../../../canonical/carried-reasoning.ts'
import type { AssistantBlock, ThinkingBlock } from '../../../canonical/content.ts'

/**
 * Thoughts of another maker are given to callers as words, piece by piece, and their proof on the part that follows.
 * Here the words are joined again, and put back to their proof.
 */
export function joinThoughts(content: readonly AssistantBlock[]): readonly AssistantBlock[] {
  const joined: AssistantBlock[] = []
  for (const block of content) {
    const before = joined.at(-1)
    if (block.type === 'thinking' && before?.type === 'thinking' && isWords(before) && goesOn(block))
      joined[joined.length - 1] = { ...block, text: before.text + block.text }
    else joined.push(block)
  }
  return joined
}

/** Words without a proof. */
function isWords({ signature, extras }: ThinkingBlock): boolean {
  return signature === undefined && extras === undefined
}

/** More of these words, or the proof of another maker's words, which has none itself. */
function goesOn(block: ThinkingBlock): boolean {
  const { text, signature } = block
  return isWords(block) || (text === '' && signature !== undefined && !isGeminiReasoning(block))
}
