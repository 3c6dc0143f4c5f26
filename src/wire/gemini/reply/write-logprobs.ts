import type { LossList } from '../../../canonical/loss.ts'
import type { LogProbs } from '../../../canonical/reply.ts'
import { isSameJson } from '../../../kit/json/is-same-json.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { readLogprobs } from './read-logprobs.ts'

/** The likelihoods of a candidate's tokens as a field of it. What would come back otherwise is declared. */
export function writeLogprobs({ content, refusal }: LogProbs, losses: LossList): JsonObject {
  if (refusal !== undefined) losses.add({ feature: 'logprobs', kind: 'dropped' })
  if (content === undefined) return {}
  const entries = content.map((entry) => (isJsonObject(entry) ? entry : {}))
  const logprobsResult = {
    chosenCandidates: entries.map(writeToken),
    topCandidates: entries.map(({ top_logprobs: top }) => ({ candidates: writeTop(top) })),
  }
  if (!isSameJson(readLogprobs(logprobsResult)?.content, content))
    losses.add({ feature: 'logprobs', kind: 'approximated' })
  return { logprobsResult }
}

function writeTop(top: JsonValue | undefined): readonly JsonObject[] {
  return isJsonArray(top) ? top.filter(isJsonObject).map(writeToken) : []
}

function writeToken({ token, logprob, token_id: tokenId }: JsonObject): JsonObject {
  return omitUndefined({ token, tokenId, logProbability: logprob })
}
