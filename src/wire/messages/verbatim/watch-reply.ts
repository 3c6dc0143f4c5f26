import { createFailure } from '../../../canonical/failure.ts'
import { isJsonArray, isJsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { readServedTier } from '../../served-tier.ts'
import type { WatchedReply } from '../../watched-reply.ts'
import { createUpstreamFailure } from '../errors/create-upstream-failure.ts'
import { readErrorFields } from '../errors/read-error-fields.ts'
import { readUsage } from '../values/read-usage.ts'

/**
 * Checks a whole answer that passes untranslated. An error with a success status, or a body without a message, fails.
 */
export function watchReply(body: JsonValue): WatchedReply {
  const fields = readErrorFields(body)
  if (fields !== undefined) return { failure: createUpstreamFailure({ fields }) }
  if (!isJsonObject(body) || !isJsonArray(body['content'])) {
    return { failure: createFailure('upstream_bad_response') }
  }
  const isEmpty = body['content'].length === 0 && typeof body['stop_reason'] !== 'string'
  const usage = readUsage(body['usage'])
  const stated = body['usage']
  const tier = isJsonObject(stated) ? readServedTier('messages', stated['service_tier']) : undefined
  return {
    ...(usage === undefined ? {} : { usage }),
    ...(tier === undefined ? {} : { servedTier: tier }),
    ...(isEmpty ? { failure: createFailure('upstream_empty') } : {}),
  }
}
