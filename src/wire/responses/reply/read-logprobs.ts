import { isJsonArray, isJsonObject, type JsonValue } from '../../../kit/json/json.ts'

/** Returns the log probabilities of an item's tokens, which are next to each of its texts. */
export function readLogprobs(item: JsonValue): readonly JsonValue[] {
  const content = isJsonObject(item) ? item['content'] : undefined
  return (isJsonArray(content) ? content : []).flatMap((part) => {
    const entries = isJsonObject(part) ? part['logprobs'] : undefined
    return isJsonArray(entries) ? entries : []
  })
}
