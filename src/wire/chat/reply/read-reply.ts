import { createFailure, type Failure } from '../../../canonical/failure.ts'
import { foldReply } from '../../../canonical/fold-reply.ts'
import type { Reply } from '../../../canonical/reply.ts'
import { isJsonArray, isJsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { ReplyReader } from './reply-reader.ts'

/** Reads a whole answer as a stream of one chunk, so that both share one mapping. */
export function readReply(body: JsonValue): Reply | Failure {
  if (!isJsonObject(body)) return createFailure('upstream_bad_response')
  const reader = new ReplyReader()
  reader.read(body, true)
  if (!reader.isOver && !isJsonArray(body['choices'])) return createFailure('upstream_bad_response')
  reader.end()
  return foldReply(reader.drain())
}
