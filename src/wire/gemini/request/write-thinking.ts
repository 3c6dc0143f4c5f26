import { isGeminiReasoning } from '../../../canonical/carried-reasoning.ts'
import type { AssistantBlock, ThinkingBlock } from '../../../canonical/content.ts'
import type { LossList } from '../../../canonical/loss.ts'
import type { Turn } from '../../../canonical/request.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { withExtras } from '../values/extras.ts'
import { PATH } from './write-content.ts'

/**
 * Writes a thought that this format's provider signed. Other thoughts mean nothing to the provider: they are left out
 * (undefined), and the loss is declared.
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
 * The placeholder signature that the service accepts for a call of another model
 * (https://ai.google.dev/gemini-api/docs/thought-signatures, seen 2026-11-20). With it, the model loses its train of
 * thought.
 */
export const FOREIGN_SIGNATURE = 'skip_thought_signature_validator'

/** The signature that a block holds for the part after it. Undefined if there is none, or it is of another maker. */
export function signatureOf(block: AssistantBlock, losses: LossList): string | undefined {
  if (block.type !== 'redacted-thinking') return undefined
  if (isGeminiReasoning(block)) return block.data
  losses.lose('redacted-thinking', 'dropped')
  return undefined
}

/** Moves the signature of each call right before that call. Other formats may have moved it elsewhere. */
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

/** The ID of the call that a signature block belongs to. Undefined for other blocks. */
function callOf(block: AssistantBlock): string | undefined {
  if (block.type !== 'redacted-thinking' || !isGeminiReasoning(block)) return undefined
  const id = block.extras?.fields['id']
  return typeof id === 'string' ? id : undefined
}
