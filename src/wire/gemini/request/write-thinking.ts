import { isGeminiReasoning } from '../../../canonical/carried-reasoning.ts'
import type { AssistantBlock, ThinkingBlock } from '../../../canonical/content.ts'
import type { LossList } from '../../../canonical/loss.ts'
import type { Turn } from '../../../canonical/request.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { withExtras } from '../values/extras.ts'
import { PATH } from './write-content.ts'

/**
 * A thought that this format's provider signed; others mean nothing to it. Undefined where it is left out, declared.
 */
export function writeThinking(block: ThinkingBlock, losses: LossList): JsonObject | undefined {
  if (block.signature === undefined || !isGeminiReasoning(block)) {
    losses.lose('thinking', 'dropped')
    return undefined
  }
  const { extras } = block
  const own = extras?.format === 'gemini' ? extras : undefined
  const written = { text: block.text, thought: true, thoughtSignature: block.signature }
  return withExtras(written, own, { losses, path: PATH })
}

/**
 * The signature that the service takes for a call of another model
 * (https://ai.google.dev/gemini-api/docs/thought-signatures, seen 2026-11-20). The model loses its thread by it.
 */
export const FOREIGN_SIGNATURE = 'skip_thought_signature_validator'

/** The signature of the part that follows. */
export function signatureOf(block: AssistantBlock, losses: LossList): string | undefined {
  if (block.type !== 'redacted-thinking') return undefined
  if (isGeminiReasoning(block)) return block.data
  losses.lose('redacted-thinking', 'dropped')
  return undefined
}

/** Signatures of calls before the calls that they name, wherever another format put them. */
export function attachSignatures(turns: readonly Turn[]): readonly Turn[] {
  return turns.map((turn) =>
    turn.role === 'assistant' && turn.content.some((block) => callOf(block) !== undefined)
      ? { ...turn, content: moveToCalls(turn.content) }
      : turn,
  )
}

function moveToCalls(content: readonly AssistantBlock[]): readonly AssistantBlock[] {
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
