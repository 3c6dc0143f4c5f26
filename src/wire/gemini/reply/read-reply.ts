import { createFailure, type Failure } from '../../../canonical/failure.ts'
import { foldReply } from '../../../canonical/fold-reply.ts'
import type { Reply } from '../../../canonical/reply.ts'
import { isJsonArray, isJsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { ReplyReader } from './reply-reader.ts'

/**
 * Reads a whole answer as a stream of one chunk. If the caller does not ask for server-sent events, the service sends a
 * stream as a JSON list of its chunks. Never throws.
 */
export function readReply(body: JsonValue): Reply | Failure {
  const chunks = isJsonArray(body) ? body : [body]
  const reader = new ReplyReader()
  const events = chunks.flatMap((chunk) =>
    isJsonObject(chunk) ? reader.read(chunk) : reader.fail(createFailure('upstream_bad_response')),
  )
  return foldReply([...events, ...reader.end()])
}
