import { isJsonArray, isJsonObject, type JsonValue } from '../../../kit/json/json.ts'

/** The likelihoods of an item's tokens, which are beside each of its texts. */
export function readLogprobs(item: JsonValue): readonly JsonValue[] {
  const content = isJsonObject(item) ? item['content'] : undefined
  return (isJsonArray(content) ? content : []).flatMap((part) => {
    const entries = isJsonObject(part) ? part['logprobs'] : undefined
    return isJsonArray(entries) ? entries : []
  })
}
