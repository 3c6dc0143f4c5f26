import { createFailure, type Failure } from '../../../canonical/failure.ts'
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectsIn,
} from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import type { WatchedReply } from '../../watched-reply.ts'
import { readErrorInAnswer } from '../errors/read-error.ts'
import { readTier } from '../values/read-tier.ts'
import { readUsage } from '../values/read-usage.ts'
import { SearchCounter } from '../values/search-counter.ts'
import { findAbnormalEnd, finishWordOf } from '../values/stop-reason.ts'

/** Reads what the gateway must know of a whole answer that passes through byte for byte. */
export function watchReply(body: JsonValue): WatchedReply {
  if (!isJsonObject(body)) return { failure: createFailure('upstream_bad_response') }
  return omitUndefined({
    usage: readUsage(body['usageMetadata'], countSearches(body['candidates'])),
    servedTier: readTier(body['usageMetadata']),
    failure: readErrorInAnswer(body) ?? findFault(body),
  })
}

function countSearches(candidates: JsonValue | undefined): Readonly<Record<string, number>> {
  const searches = new SearchCounter()
  for (const candidate of isJsonArray(candidates) ? candidates : [])
    if (isJsonObject(candidate)) searches.add(candidate)
  return searches.toolCalls
}

function findFault({ candidates, promptFeedback }: JsonObject): Failure | undefined {
  const list = objectsIn(candidates)
  if (list.length > 0) return list.map(findUnfinished).find((failure) => failure !== undefined)
  const isRefused = isJsonObject(promptFeedback) && 'blockReason' in promptFeedback
  return isRefused ? undefined : createFailure('upstream_empty')
}

/** A candidate is complete only with a finish reason. */
function findUnfinished(candidate: JsonObject): Failure | undefined {
  const isFinished = finishWordOf(candidate['finishReason']) !== undefined
  return findAbnormalEnd(candidate) ?? (isFinished ? undefined : createFailure('upstream_disconnected'))
}
