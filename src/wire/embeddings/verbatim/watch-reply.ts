import { isFailure } from '../../../canonical/failure.ts'
import type { JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import type { WatchedReply } from '../../watched-reply.ts'
import { readReply } from '../reply/read-reply.ts'

/** Reads what the gateway needs from an answer that is forwarded byte for byte. */
export function watchReply(body: JsonValue): WatchedReply {
  const reply = readReply(body)
  if (isFailure(reply)) return { failure: reply }
  return omitUndefined({ usage: reply.usage })
}
