import type { RedactedThinkingBlock } from '../../../canonical/content.ts'
import type { ThinkingStart } from '../../../canonical/reply-event.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { writeReasoningDetail, writeSignaturePiece, writeWordsPiece } from '../values/reasoning-details.ts'

interface OpenReasoning {
  readonly start: ThinkingStart
  /** Whether the details have the same pieces as `reasoning_content`; else one entry holds the whole signed block. */
  readonly isInPieces: boolean
  /** The block's number among the details; undefined until the first entry of the block is written. */
  index: number | undefined
  /** The text so far, for a block whose details are written as a whole. */
  text: string
  signature: string | undefined
}

export interface ReasoningBlock {
  readonly block: number
  readonly start: ThinkingStart
  readonly isUnsigned: boolean
}

/**
 * Writes the reasoning of one choice. In a stream, each piece is in `reasoning_content` and in an entry of
 * `reasoning_details`. The signature comes last in an entry of its own, as in OpenRouter's streams. A client that joins
 * the entries by their `index` gets text and signature. A client that reads only one of the two fields gets each piece
 * once. The official Python client joins entries by `index`, requires an index in each, and joins all strings.
 * Therefore no field but the text is repeated.
 */
export class ReasoningWriter {
  readonly #isStream: boolean
  readonly #open = new Map<number, OpenReasoning>()
  #detailCount = 0

  constructor(isStream: boolean) {
    this.#isStream = isStream
  }

  start({ block, start, isUnsigned }: ReasoningBlock): void {
    const isInPieces = this.#isStream && !isUnsigned
    this.#open.set(block, { start, isInPieces, index: undefined, text: '', signature: undefined })
  }

  addText(block: number, text: string): JsonObject {
    const reasoning = this.#open.get(block)
    if (reasoning?.isInPieces !== true) {
      if (reasoning !== undefined) reasoning.text += text
      return { reasoning_content: text }
    }
    const detail = writeWordsPiece({ ...reasoning.start, text }, this.#indexOf(reasoning))
    return { reasoning_content: text, reasoning_details: [detail] }
  }

  addSignature(block: number, signature: string): void {
    const reasoning = this.#open.get(block)
    if (reasoning !== undefined) reasoning.signature = (reasoning.signature ?? '') + signature
  }

  /** Returns the block's signature, for clients that send it back unchanged; undefined where the block is unsigned. */
  end(block: number): JsonObject | undefined {
    const reasoning = this.#open.get(block)
    this.#open.delete(block)
    if (reasoning?.signature === undefined) return undefined
    const { start, text, signature, isInPieces } = reasoning
    const write = isInPieces ? writeSignaturePiece : writeReasoningDetail
    return { reasoning_details: [write({ ...start, text, signature }, this.#indexOf(reasoning))] }
  }

  addRedacted(block: RedactedThinkingBlock): JsonObject {
    const index = this.#detailCount
    this.#detailCount += 1
    return { reasoning_details: [writeReasoningDetail(block, index)] }
  }

  #indexOf(reasoning: OpenReasoning): number {
    if (reasoning.index === undefined) {
      reasoning.index = this.#detailCount
      this.#detailCount += 1
    }
    return reasoning.index
  }
}
