import type { LogProbs } from '../../../canonical/reply.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'

/**
 * The likelihoods of a candidate's tokens as the entries that clients of the chat format know; undefined where there are
 * none (https://ai.google.dev/api/generate-content#LogprobsResult, seen 2026-11-20).
 */
export function readLogprobs(value: JsonValue | undefined): LogProbs | undefined {
  if (!isJsonObject(value) || !isJsonArray(value['chosenCandidates'])) return undefined
  const steps = isJsonArray(value['topCandidates']) ? value['topCandidates'] : []
  const chosen = value['chosenCandidates'].filter(isJsonObject)
  if (chosen.length === 0) return undefined
  return {
    content: chosen.map((token, index) => ({ ...readToken(token), top_logprobs: readTop(steps[index]) })),
  }
}

function readTop(step: JsonValue | undefined): readonly JsonObject[] {
  const tokens = isJsonObject(step) ? step['candidates'] : undefined
  return isJsonArray(tokens) ? tokens.filter(isJsonObject).map(readToken) : []
}

function readToken({ token, tokenId, logProbability }: JsonObject): JsonObject {
  const text = typeof token === 'string' ? token : ''
  return omitUndefined({
    token: text,
    logprob: typeof logProbability === 'number' ? logProbability : 0,
    bytes: [...Buffer.from(text, 'utf8')],
    token_id: tokenId,
  })
}
