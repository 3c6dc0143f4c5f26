import { makerDetail } from '../../../canonical/carried-reasoning.ts'
import type { RedactedThinkingBlock, ThinkingBlock } from '../../../canonical/content.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { toExtras } from './extras.ts'

/**
 * The field `reasoning_details` holds reasoning as entries of text, summary or encrypted data, with signatures. A
 * client that sends the entries back unchanged lets the model continue its reasoning
 * (https://openrouter.ai/docs/use-cases/reasoning-tokens, seen 2026-11-20).
 */
export interface ReasoningDetails {
  readonly blocks: readonly ReasoningDetail[]
  /** Entries of an unknown kind, unchanged. */
  readonly unread: readonly JsonValue[]
}

export interface ReasoningDetail {
  /**
   * The index that all pieces of one block share. It is not stored in the block, since it is usually the entry's
   * number.
   */
  readonly index: number | undefined
  readonly block: ThinkingBlock | RedactedThinkingBlock
}

const noDetails: ReasoningDetails = { blocks: [], unread: [] }

export function readReasoningDetails(value: JsonValue | undefined): ReasoningDetails {
  if (value === undefined || value === null) return noDetails
  if (!isJsonArray(value)) return { blocks: [], unread: [value] }
  const blocks: ReasoningDetail[] = []
  const unread: JsonValue[] = []
  for (const item of value) {
    const block = isJsonObject(item) ? readDetail(item) : undefined
    if (block === undefined || !isJsonObject(item)) unread.push(item)
    else blocks.push({ index: typeof item['index'] === 'number' ? item['index'] : undefined, block })
  }
  return { blocks, unread }
}

function readDetail(detail: JsonObject): ThinkingBlock | RedactedThinkingBlock | undefined {
  const { type, text, summary, data, signature, index, ...more } = detail
  const oddIndex = typeof index === 'number' ? undefined : index
  const isPlain = type === 'reasoning.text' || type === 'reasoning.summary'
  if (isPlain) {
    const words = type === 'reasoning.text' ? text : summary
    return omitUndefined({
      type: 'thinking' as const,
      text: typeof words === 'string' ? words : '',
      signature: typeof signature === 'string' && signature !== '' ? signature : undefined,
      ...toExtras(more, { type: type === 'reasoning.text' ? undefined : type, index: oddIndex }),
    })
  }
  if (type !== 'reasoning.encrypted' || typeof data !== 'string') return undefined
  return { type: 'redacted-thinking', data, ...toExtras(more, { index: oddIndex }) }
}

/**
 * Returns the block of a detail that is the `number`th of its message. An index other than `number` is stored in the
 * block.
 */
export function blockOfDetail<Block extends ReasoningDetail['block']>(
  { index, block }: { readonly index: number | undefined; readonly block: Block },
  number: number,
): Block {
  if (index === undefined || index === number) return block
  return { ...block, ...toExtras({ ...block.extras?.fields, index }) }
}

/**
 * Writes the entry for a block that is the `number`th of its message. Fields that only this format has are added to the
 * entry.
 */
export function writeReasoningDetail(
  block: ThinkingBlock | RedactedThinkingBlock,
  number: number,
): JsonObject {
  const { index = number, ...more } = ownFields(block)
  if (block.type === 'redacted-thinking') {
    return { ...more, type: 'reasoning.encrypted', data: block.data, index }
  }
  return { ...more, ...wordsOf(block), ...signatureOf(block), index }
}

/** Writes the entry for a piece of a block's text. */
export function writeWordsPiece(block: ThinkingBlock, number: number): JsonObject {
  const { index = number } = ownFields(block)
  return { ...wordsOf(block), index }
}

/** Writes the entry with the signature of a block whose text was already sent. */
export function writeSignaturePiece(block: ThinkingBlock, number: number): JsonObject {
  const { index = number, ...more } = ownFields(block)
  return { ...more, type: wordsOf(block).type, ...signatureOf(block), index }
}

function wordsOf(block: ThinkingBlock) {
  const { text } = block
  return ownFields(block)['type'] === 'reasoning.summary'
    ? { type: 'reasoning.summary', summary: text }
    : { type: 'reasoning.text', text }
}

function signatureOf({ signature }: ThinkingBlock): JsonObject {
  return signature === undefined ? {} : { signature }
}

function ownFields(block: ThinkingBlock | RedactedThinkingBlock): JsonObject {
  return block.extras?.format === 'chat' ? block.extras.fields : makerDetail(block)
}

/** Joins the pieces of each block. Clients that only collect a stream's pieces send them unjoined. */
export function joinDetails(details: readonly ReasoningDetail[]): (ThinkingBlock | RedactedThinkingBlock)[] {
  const joined: (ThinkingBlock | RedactedThinkingBlock)[] = []
  let lastIndex: number | undefined
  for (const detail of details) {
    const { index, block } = detail
    const last = joined.at(-1)
    const goesOn = index !== undefined && index === lastIndex && last?.type === 'thinking'
    if (goesOn && block.type === 'thinking' && last.signature === undefined) {
      joined[joined.length - 1] = joinPiece(last, block)
    } else {
      joined.push(blockOfDetail(detail, joined.length))
    }
    lastIndex = index
  }
  return joined
}

/** A signature ends a block. Extra fields of an entry with only a signature, as in a stream, belong to the block. */
function joinPiece(last: ThinkingBlock, { text, signature, extras }: ThinkingBlock): ThinkingBlock {
  const joined = { ...last, text: last.text + text }
  if (signature === undefined) return joined
  return { ...joined, signature, ...toExtras({ ...extras?.fields, ...last.extras?.fields }) }
}

export function isShownDetail({ block }: ReasoningDetail): boolean {
  return block.type === 'thinking' && block.text !== ''
}

/** Returns the plain text of reasoning, under any of the names that servers use; empty where there is no reasoning. */
export function findReasoningText(message: JsonObject): string {
  const text = message['reasoning_content'] ?? message['reasoning']
  return typeof text === 'string' ? text : ''
}
