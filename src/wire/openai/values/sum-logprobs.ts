import { isJsonArray, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'

/** The lists of log probabilities by name. A list that no piece has is null. */
export type LogprobLists = Record<string, JsonValue[] | null>

/**
 * Adds the lists of a piece to those of the whole answer. The lists grow in place, since a copy for each piece would
 * cost the square of the tokens.
 */
export function sumLogprobs(sum: LogprobLists | undefined, piece: JsonObject): LogprobLists {
  const lists = sum ?? {}
  for (const [name, value] of Object.entries(piece)) {
    const list = lists[name] ?? []
    lists[name] = isJsonArray(value) ? list : (lists[name] ?? null)
    if (isJsonArray(value)) for (const entry of value) list.push(entry)
  }
  return lists
}
