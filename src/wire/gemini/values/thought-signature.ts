import { isGeminiReasoning, packReasoning, unpackReasoning } from '../../../canonical/carried-reasoning.ts'
import type { RedactedThinkingBlock, ThinkingBlock } from '../../../canonical/content.ts'
import type { Extras } from '../../../canonical/format.ts'

/**
 * `thoughtSignature` in the canonical form. On a thought part, it is the signature of that block. On any other part (a
 * function call, text, an image), it becomes a `redacted-thinking` block right before the block of that part. In this
 * way it travels with reasoning through every other format and returns to the part after it. Both blocks carry extras
 * of this format, which identify their maker. The extras of a call's signature contain the call's ID, because formats
 * that separate reasoning from calls lose their order. A part with only a signature becomes only such a block.
 * https://ai.google.dev/gemini-api/docs/thought-signatures, seen 2026-11-20.
 */
type Reasoning = ThinkingBlock | RedactedThinkingBlock

/** The reasoning that a signature stands for: Gemini's own, or another maker's that was packed for the caller. */
export function readThoughtSignature(signature: string, text = '', callId?: string): Reasoning {
  const carried = unpackReasoning(Buffer.from(signature, 'base64').toString('utf8'), text)
  if (carried !== undefined) return carried
  const extras: Extras = { format: 'gemini', fields: callId === undefined ? {} : { id: callId } }
  return text === ''
    ? { type: 'redacted-thinking', data: signature, extras }
    : { type: 'thinking', text, signature, extras }
}

/** The signature for a caller: base64, like the format's own signatures. Undefined for unsigned reasoning. */
export function writeThoughtSignature(block: Reasoning): string | undefined {
  const signature = block.type === 'thinking' ? block.signature : block.data
  if (signature === undefined || isGeminiReasoning(block)) return signature
  return Buffer.from(packReasoning(block), 'utf8').toString('base64')
}
