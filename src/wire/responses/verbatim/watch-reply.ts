import { createFailure } from '../../../canonical/failure.ts'
import { isJsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { readServedTier } from '../../served-tier.ts'
import type { WatchedReply } from '../../watched-reply.ts'
import { findResponseFailure } from '../reply/failed-response.ts'
import { readUsage } from '../values/read-usage.ts'

/** Reads what the gateway needs from a whole answer that is forwarded byte for byte. */
export function watchReply(body: JsonValue): WatchedReply {
  if (!isJsonObject(body)) return { failure: createFailure('upstream_bad_response') }
  return omitUndefined({
    usage: readUsage(body),
    servedTier: readServedTier('responses', body['service_tier']),
    failure: findResponseFailure(body),
  })
}
