import { isGeminiReasoning } from '../../../canonical/carried-reasoning.ts'
import type { AssistantBlock } from '../../../canonical/content.ts'
import type { Turn } from '../../../canonical/request.ts'

/** Signatures of calls before the calls that they name, wherever another format kept them. */
export function attachSignatures(turns: readonly Turn[]): readonly Turn[] {
  return turns.map((turn) =>
    turn.role === 'assistant' && turn.content.some((block) => callOf(block) !== undefined)
      ? { ...turn, content: placeEach(turn.content) }
      : turn,
  )
}

function placeEach(content: readonly AssistantBlock[]): readonly AssistantBlock[] {
  const calls = new Set(content.filter((block) => block.type === 'tool-call').map(({ id }) => id))
  const signatures = new Map<string, AssistantBlock>()
  const others = content.filter((block) => {
    const id = callOf(block)
    if (id === undefined || !calls.has(id) || signatures.has(id)) return true
    signatures.set(id, block)
    return false
  })
  return others.flatMap((block) => {
    const signature = block.type === 'tool-call' ? signatures.get(block.id) : undefined
    if (signature === undefined || block.type !== 'tool-call') return [block]
    signatures.delete(block.id)
    return [signature, block]
  })
}

/** The id of the call whose signature a block is. */
function callOf(block: AssistantBlock): string | undefined {
  if (block.type !== 'redacted-thinking' || !isGeminiReasoning(block)) return undefined
  const id = block.extras?.fields['id']
  return typeof id === 'string' ? id : undefined
}
