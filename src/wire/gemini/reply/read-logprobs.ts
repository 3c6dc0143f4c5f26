import type { LogProbs } from '../../../canonical/reply.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'

/**
 * The likelihoods of a candidate's tokens as the entries that clients of the chat format know; undefined where there are
 * none (https://ai.google.dev/api/generate-content#LogprobsResult, seen 2026-11-20).
 */
export function readLogprobs(value: JsonValue | undefined): LogProbs | undefined {
  if (!isJsonObject(value) || !isJsonArray(value['chosenCandidates'])) return undefined
  const steps = isJsonArray(value['topCandidates']) ? value['topCandidates'] : []
  const chosen = value['chosenCandidates'].filter(isJsonObject)
  if (chosen.length === 0) return undefined
  return { content: chosen.map((token, index) => readEntry(token, steps[index])) }
}

/** One token that was chosen, with those that might have been. */
export function readEntry(token: JsonObject, step: JsonValue | undefined): JsonObject {
  return { ...readToken(token), top_logprobs: readTop(step) }
}

function readTop(step: JsonValue | undefined): readonly JsonObject[] {
  const tokens = isJsonObject(step) ? step['candidates'] : undefined
  return isJsonArray(tokens) ? tokens.filter(isJsonObject).map(readToken) : []
}

function readToken({ token, tokenId, logProbability }: JsonObject): JsonObject {
  const text = typeof token === 'string' ? token : ''
  const logprob = typeof logProbability === 'number' ? logProbability : 0
  const read = { token: text, logprob, bytes: bytesOf(text) }
  return tokenId === undefined ? read : { ...read, token_id: tokenId }
}

/** An answer has tens of thousands of tokens, so each is read without an iterator. */
function bytesOf(text: string): readonly number[] {
  const encoded = Buffer.from(text, 'utf8')
  const bytes: number[] = []
  for (let at = 0; at < encoded.length; at += 1) bytes.push(encoded[at] ?? 0)
  return bytes
}
