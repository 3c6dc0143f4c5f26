import { createFailure } from '../../../canonical/failure.ts'
import { isJsonArray, isJsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { readErrorInAnswer } from '../../errors/read-error.ts'
import { findChoicesFailure } from '../../openai/values/abnormal-ends.ts'
import { findUsage, readUsage } from '../../openai/values/read-usage.ts'
import { readServedTier } from '../../served-tier.ts'
import type { WatchedReply } from '../../watched-reply.ts'

/** Reads what the gateway needs from a whole answer that is forwarded byte for byte. */
export function watchReply(body: JsonValue): WatchedReply {
  if (!isJsonObject(body)) return { failure: createFailure('upstream_bad_response') }
  return omitUndefined({
    usage: readUsage(findUsage(body)),
    servedTier: readServedTier('chat', body['service_tier']),
    failure: readErrorInAnswer(body) ?? findChoicesFailure(body, hasAnswer),
  })
}

/** Whether the choice has a finish reason, or its message has any field besides the role. */
function hasAnswer(choice: JsonValue): boolean {
  if (!isJsonObject(choice)) return false
  const { finish_reason: reason, message } = choice
  if (reason !== undefined && reason !== null && reason !== '') return true
  if (!isJsonObject(message)) return false
  const { role: _role, ...words } = message
  return Object.values(words).some((value) => !isBlank(value))
}

function isBlank(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || value === '' || (isJsonArray(value) && value.length === 0)
}
