import type { LossList } from '../../../canonical/loss.ts'
import type { LogProbs } from '../../../canonical/reply.ts'
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectsIn,
} from '../../../kit/json/json.ts'

export interface WrittenLogprobs {
  readonly value: JsonObject
  /** The text offset of the next token. */
  readonly nextOffset: number
}

/**
 * Writes one entry per token as the format's four lists. A token's offset is its position in the text of its choice, in
 * characters, unless the entry has an offset. Bytes, and the log probabilities of a refusal, cannot be carried.
 */
export function writeLogprobs(
  { content = [], refusal }: LogProbs,
  { offset, losses }: { readonly offset: number; readonly losses: LossList },
): WrittenLogprobs {
  const entries = content.map((entry) => (isJsonObject(entry) ? entry : {}))
  if (refusal !== undefined) losses.lose('logprobs', 'dropped')
  if (entries.some(hasBytes)) losses.lose('logprobs', 'approximated')
  let nextOffset = offset
  const offsets = entries.map((entry) => {
    const position = entry['text_offset'] ?? nextOffset
    nextOffset += [...tokenOf(entry)].length
    return position
  })
  return {
    value: {
      tokens: entries.map(tokenOf),
      token_logprobs: entries.map(likelihoodOf),
      top_logprobs: entries.map(({ top_logprobs: list }) => writeAlternatives(list)),
      text_offset: offsets,
    },
    nextOffset,
  }
}

function tokenOf({ token }: JsonObject): string {
  return typeof token === 'string' ? token : ''
}

function likelihoodOf({ logprob }: JsonObject): number | null {
  return typeof logprob === 'number' ? logprob : null
}

function hasBytes({ bytes, top_logprobs: list }: JsonObject): boolean {
  const alternatives = objectsIn(list)
  return (bytes ?? null) !== null || alternatives.some((entry) => (entry['bytes'] ?? null) !== null)
}

function writeAlternatives(list: JsonValue | undefined): JsonObject | null {
  if (!isJsonArray(list)) return null
  return Object.fromEntries(list.filter(isJsonObject).map((entry) => [tokenOf(entry), likelihoodOf(entry)]))
}
