import { isGeminiReasoning } from '../../../canonical/carried-reasoning.ts'
import type { AssistantBlock, ThinkingBlock } from '../../../canonical/content.ts'
import type { LossList } from '../../../canonical/loss.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { withExtras } from '../values/extras.ts'
import { PATH } from './write-content.ts'

/** A thought that this format's provider signed; others mean nothing to it. Undefined where it is left out, declared. */
export function writeThought(block: ThinkingBlock, losses: LossList): JsonObject | undefined {
  if (block.signature === undefined || !isGeminiReasoning(block)) {
    losses.add({ feature: 'thinking', kind: 'dropped' })
    return undefined
  }
  const { extras } = block
  const own = extras?.format === 'gemini' ? extras : undefined
  const written = { text: block.text, thought: true, thoughtSignature: block.signature }
  return withExtras(written, own, { losses, path: PATH })
}

/**
 * Taken for the signature of a call that another model made
 * (https://ai.google.dev/gemini-api/docs/thought-signatures, seen 2026-11-20). The model loses its thread by it.
 */
export const FOREIGN_SIGNATURE = 'skip_thought_signature_validator'

/** The signature of the part that follows. */
export function signatureOf(block: AssistantBlock, losses: LossList): string | undefined {
  if (block.type !== 'redacted-thinking') return undefined
  if (isGeminiReasoning(block)) return block.data
  losses.add({ feature: 'redacted-thinking', kind: 'dropped' })
  return undefined
}
