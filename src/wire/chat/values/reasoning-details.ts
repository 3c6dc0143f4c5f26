import { makerDetail } from '../../../canonical/carried-reasoning.ts'
import type { RedactedThinkingBlock, ThinkingBlock } from '../../../canonical/content.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { toExtras } from './extras.ts'

/**
 * `reasoning_details`: reasoning as entries of text, summary or encrypted data, with signatures; sent back unchanged
 * they let the model go on where it was (https://openrouter.ai/docs/use-cases/reasoning-tokens, seen 2026-11-20).
 */
export interface ReasoningDetails {
  readonly blocks: readonly ReasoningDetail[]
  /** Entries of a kind that is not known. */
  readonly unread: readonly JsonValue[]
}

export interface ReasoningDetail {
  /** Pieces of one block share an index. It is no field of the block: usually it is the entry's number. */
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

/** The block of an entry that is the `number`th of its message; any other index is stored with it. */
export function blockOfDetail<Block extends ReasoningDetail['block']>(
  { index, block }: { readonly index: number | undefined; readonly block: Block },
  number: number,
): Block {
  if (index === undefined || index === number) return block
  return { ...block, ...toExtras({ ...block.extras?.fields, index }) }
}

/** The entry for a block, the `number`th of its message; fields that only this format knows stand beside. */
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

/** The entry for some text of a block. */
export function writeWordsPiece(block: ThinkingBlock, number: number): JsonObject {
  const { index = number } = ownFields(block)
  return { ...wordsOf(block), index }
}

/** The entry that signs a block whose text came before. */
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

/** Joins the pieces of each block, as a client that only gathered a stream's pieces sends them. */
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

/** The signature ends a block. Fields of its own that stand beside it alone, as in a stream, are the block's. */
function joinPiece(last: ThinkingBlock, { text, signature, extras }: ThinkingBlock): ThinkingBlock {
  const joined = { ...last, text: last.text + text }
  if (signature === undefined) return joined
  return { ...joined, signature, ...toExtras({ ...extras?.fields, ...last.extras?.fields }) }
}

export function isShownDetail({ block }: ReasoningDetail): boolean {
  return block.type === 'thinking' && block.text !== ''
}

/** The plain text of reasoning, under whichever name the server gives it; empty without any. */
export function findReasoningText(message: JsonObject): string {
  const text = message['reasoning_content'] ?? message['reasoning']
  return typeof text === 'string' ? text : ''
}
