import type { AssistantBlock } from './content.ts'
import type { Reply } from './reply.ts'

/** Counts the characters of text, reasoning and tool inputs in a whole answer. */
export function countReplyCharacters({ choices }: Pick<Reply, 'choices'>): number {
  let characters = 0
  for (const { content } of choices) for (const block of content) characters += charactersOf(block)
  return characters
}

function charactersOf(block: AssistantBlock): number {
  switch (block.type) {
    case 'text':
    case 'thinking':
    case 'refusal':
      return block.text.length
    case 'tool-call':
      return block.input.length
    case 'redacted-thinking':
    case 'audio':
    case 'image':
    case 'opaque':
      return 0
  }
}
