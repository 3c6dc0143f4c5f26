import { createFailure } from '../../../canonical/failure.ts'
import { isJsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { readErrorInAnswer } from '../../errors/read-error.ts'
import type { WatchedReply } from '../../watched-reply.ts'
import { readImageUsage } from '../read-usage.ts'

/** Reads an answer. The images are not parsed: `data` is their number. */
export function watchReply(body: JsonValue): WatchedReply {
  if (!isJsonObject(body)) return { failure: createFailure('upstream_bad_response') }
  if (typeof body['data'] !== 'number' || body['data'] === 0)
    return { failure: readErrorInAnswer(body) ?? createFailure('upstream_bad_response') }
  return omitUndefined({ usage: readImageUsage(body['usage']) })
}
