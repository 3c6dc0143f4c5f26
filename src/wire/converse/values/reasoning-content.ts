import {
  isGeminiReasoning,
  isResponsesReasoning,
  packReasoning,
  unpackReasoning,
} from '../../../canonical/carried-reasoning.ts'
import type { RedactedThinkingBlock, ThinkingBlock } from '../../../canonical/content.ts'
import { isJsonObject, type JsonObject } from '../../../kit/json/json.ts'

type Reasoning = ThinkingBlock | RedactedThinkingBlock

/** The prefix of a text that packs the reasoning of another maker, or reasoning with a sealed signature. */
const CARRIED = /^~?headgate\./

/** Reads the reasoning that a caller sends back. Undefined if there is none. */
export function readReasoning({ reasoningText, redactedContent }: JsonObject): Reasoning | undefined {
  if (typeof redactedContent === 'string') {
    // The field holds bytes as base64, which clients decode.
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

/** Joins redacted content that arrives in pieces. Each piece is base64 by itself, so it may end with padding. */
export function joinRedacted(pieces: readonly string[]): string {
  const [first = '', ...later] = pieces
  if (later.length === 0) return first
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece, 'base64'))).toString('base64')
}

/** The signature for a caller. Undefined for unsigned reasoning. */
export function writeSignature(block: ThinkingBlock): string | undefined {
  return block.signature === undefined || !mustPack(block) ? block.signature : packReasoning(block)
}

/** The redacted reasoning for a caller, as base64. */
export function writeRedacted(block: RedactedThinkingBlock): string {
  const data = mustPack(block) ? packReasoning(block) : block.data
  return CARRIED.test(data) ? Buffer.from(data, 'utf8').toString('base64') : data
}

/** Whether clients and providers could mistake this signature of another format for their own. */
function mustPack(block: Reasoning): boolean {
  return isResponsesReasoning(block) || isGeminiReasoning(block)
}
