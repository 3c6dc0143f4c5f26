import type { LogProbs } from '../../../canonical/reply.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'

/**
 * Likelihoods of an answer's tokens, which this format gives as lists side by side, as one entry a token in the chat
 * format's shape, with the token's place in the text beside it. Undefined where there are none, or where the lists do
 * not fit together.
 */
export function readLogprobs(value: JsonValue | undefined): LogProbs | undefined {
  if (!isJsonObject(value)) return undefined
  const { tokens, token_logprobs: logprobs, top_logprobs: tops, text_offset: offsets } = value
  if (!isJsonArray(tokens) || !isJsonArray(logprobs) || tokens.length !== logprobs.length) return undefined
  const at = (list: JsonValue | undefined, index: number) => (isJsonArray(list) ? list[index] : undefined)
  const content = tokens.map((token, index) =>
    omitUndefined({
      token,
      logprob: logprobs[index] ?? null,
      top_logprobs: readAlternatives(at(tops, index)),
      text_offset: at(offsets, index),
    }),
  )
  return { content }
}

function readAlternatives(value: JsonValue | undefined): readonly JsonObject[] | null {
  if (!isJsonObject(value)) return null
  return Object.entries(value).map(([token, logprob]) => ({ token, logprob }))
}
