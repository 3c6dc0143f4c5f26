import { createFailure, type Failure } from '../../../canonical/failure.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { readErrorInAnswer } from '../../errors/read-error.ts'
import { findChoicesFailure } from '../../openai/values/abnormal-ends.ts'
import { readUsage } from '../../openai/values/read-usage.ts'
import { readServedTier } from '../../served-tier.ts'
import type { WatchedReply } from '../../watched-reply.ts'

/** Reads what the gateway needs from a whole answer that is forwarded byte for byte. */
export function watchReply(body: JsonValue): WatchedReply {
  if (!isJsonObject(body)) return { failure: createFailure('upstream_bad_response') }
  const { usage } = body
  return omitUndefined({
    usage: readUsage(usage),
    servedTier: readServedTier('chat', body['service_tier']),
    failure: findFailure(body),
  })
}

/** Returns the failure in a body that is not an answer. */
export function findFailure(body: JsonObject): Failure | undefined {
  return readErrorInAnswer(body) ?? findChoicesFailure(body, hasAnswer)
}

/** Whether the choice has a text or a finish reason. An answer with a finish reason may be empty. */
function hasAnswer(choice: JsonValue): boolean {
  if (!isJsonObject(choice)) return false
  return [choice['text'], choice['finish_reason']].some((value) => (value ?? '') !== '')
}
