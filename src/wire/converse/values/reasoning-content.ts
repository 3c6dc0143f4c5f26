import {
  isGeminiReasoning,
  isResponsesReasoning,
  packReasoning,
  unpackReasoning,
} from '../../../canonical/carried-reasoning.ts'
import type { RedactedThinkingBlock, ThinkingBlock } from '../../../canonical/content.ts'
import { isJsonObject, type JsonObject } from '../../../kit/json/json.ts'

type Reasoning = ThinkingBlock | RedactedThinkingBlock

/** The prefix of texts that stand for the reasoning of another maker, or of one whose signature was sealed. */
const CARRIED = /^~?headgate\./

/** The reasoning that a caller brings back; undefined where it holds nothing of it. */
export function readReasoning({ reasoningText, redactedContent }: JsonObject): Reasoning | undefined {
  if (typeof redactedContent === 'string') {
    // The field is bytes in base64, and clients decode it.
    const carried = Buffer.from(redactedContent, 'base64').toString('utf8')
    if (!CARRIED.test(carried)) return { type: 'redacted-thinking', data: redactedContent }
    return unpackReasoning(carried, '') ?? { type: 'redacted-thinking', data: carried }
  }
  if (!isJsonObject(reasoningText)) return undefined
  const { text, signature } = reasoningText
  const said = typeof text === 'string' ? text : ''
  if (typeof signature !== 'string' || signature === '') return { type: 'thinking', text: said }
  return unpackReasoning(signature, said) ?? { type: 'thinking', text: said, signature }
}

/** The signature for a caller; undefined for unsigned reasoning. */
export function writeSignature(block: ThinkingBlock): string | undefined {
  return block.signature === undefined || !mustPack(block) ? block.signature : packReasoning(block)
}

/** Redacted reasoning for a caller, as bytes in base64. */
export function writeRedacted(block: RedactedThinkingBlock): string {
  const data = mustPack(block) ? packReasoning(block) : block.data
  return CARRIED.test(data) ? Buffer.from(data, 'utf8').toString('base64') : data
}

/** Whether clients and providers would take the signature of another format for one of their own. */
function mustPack(block: Reasoning): boolean {
  return isResponsesReasoning(block) || isGeminiReasoning(block)
}
