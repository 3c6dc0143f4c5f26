import { makerDetail } from '../../canonical/carried-reasoning.ts'
import type { RedactedThinkingBlock, ThinkingBlock } from '../../canonical/content.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../kit/json.ts'
import { omitUndefined } from '../../kit/omit-undefined.ts'
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
  /** Pieces of one block share an index. */
  readonly index: number | undefined
  readonly block: ThinkingBlock | RedactedThinkingBlock
}

export function readReasoningDetails(value: JsonValue | undefined): ReasoningDetails {
  if (value === undefined || value === null) return { blocks: [], unread: [] }
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
  const { type, text, summary, data, signature, ...more } = detail
  const isPlain = type === 'reasoning.text' || type === 'reasoning.summary'
  if (isPlain) {
    const words = type === 'reasoning.text' ? text : summary
    return omitUndefined({
      type: 'thinking' as const,
      text: typeof words === 'string' ? words : '',
      signature: typeof signature === 'string' && signature !== '' ? signature : undefined,
      ...toExtras(more, { type: type === 'reasoning.text' ? undefined : type }),
    })
  }
  if (type !== 'reasoning.encrypted' || typeof data !== 'string') return undefined
  return { type: 'redacted-thinking', data, ...toExtras(more) }
}

/** The entry for a block; fields that only this format knows stand beside. */
export function writeReasoningDetail(block: ThinkingBlock | RedactedThinkingBlock): JsonObject {
  const more = ownFields(block)
  if (block.type === 'redacted-thinking') return { ...more, type: 'reasoning.encrypted', data: block.data }
  const signature = block.signature === undefined ? {} : { signature: block.signature }
  if (more['type'] === 'reasoning.summary') return { ...more, summary: block.text, ...signature }
  return { ...more, type: 'reasoning.text', text: block.text, ...signature }
}

function ownFields(block: ThinkingBlock | RedactedThinkingBlock): JsonObject {
  return block.extras?.format === 'chat' ? block.extras.fields : makerDetail(block)
}

/** Joins the pieces of each block, as a client that only gathered a stream's pieces sends them. */
export function joinDetails(details: readonly ReasoningDetail[]): (ThinkingBlock | RedactedThinkingBlock)[] {
  const joined: (ThinkingBlock | RedactedThinkingBlock)[] = []
  let lastIndex: number | undefined
  for (const { index, block } of details) {
    const last = joined.at(-1)
    const goesOn = index !== undefined && index === lastIndex && last?.type === 'thinking'
    if (goesOn && block.type === 'thinking' && last.signature === undefined) {
      const { signature } = block
      joined[joined.length - 1] = {
        ...last,
        text: last.text + block.text,
        ...(signature === undefined ? {} : { signature }),
      }
    } else {
      joined.push(block)
    }
    lastIndex = index
  }
  return joined
}
