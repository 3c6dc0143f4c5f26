import { isGeminiReasoning, packReasoning, unpackReasoning } from '../../../canonical/carried-reasoning.ts'
import type { RedactedThinkingBlock, ThinkingBlock } from '../../../canonical/content.ts'
import type { Extras } from '../../../canonical/format.ts'

/**
 * `thoughtSignature` in the canonical form. On a part of thought it is the block's own signature. On any other part
 * (a function call, words, an image) it becomes a `redacted-thinking` block right before the block of that part, so that
 * it travels with reasoning through every other format and comes back to the part that follows it. Both carry extras
 * of this format, by which their maker is known, and that of a call says its id: formats that keep reasoning apart from
 * calls lose their order. A part that holds nothing but a signature is such a block alone.
 * https://ai.google.dev/gemini-api/docs/thought-signatures, seen 2026-11-20.
 */
type Reasoning = ThinkingBlock | RedactedThinkingBlock

/** The reasoning that a signature proves: Gemini's own, or another maker's that was packed for the caller to keep. */
export function readThoughtSignature(signature: string, text = '', callId?: string): Reasoning {
  const carried = unpackReasoning(Buffer.from(signature, 'base64').toString('utf8'), text)
  if (carried !== undefined) return carried
  const extras: Extras = { format: 'gemini', fields: callId === undefined ? {} : { id: callId } }
  return text === ''
    ? { type: 'redacted-thinking', data: signature, extras }
    : { type: 'thinking', text, signature, extras }
}

/** What a caller is given to keep: bytes in base64, as the format's own are. Undefined where nothing proves it. */
export function writeThoughtSignature(block: Reasoning): string | undefined {
  const proof = block.type === 'thinking' ? block.signature : block.data
  if (proof === undefined || isGeminiReasoning(block)) return proof
  return Buffer.from(packReasoning(block), 'utf8').toString('base64')
}
