import { createFailure, type Failure } from '../../../canonical/failure.ts'
import { foldReply } from '../../../canonical/fold-reply.ts'
import type { Reply } from '../../../canonical/reply.ts'
import { isJsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { findFault } from './failed-response.ts'
import { ReplyReader } from './reply-reader.ts'

/** Reads a whole answer as a stream that has only its last event. Never throws. */
export function readReply(body: JsonValue): Reply | Failure {
  if (!isJsonObject(body)) return createFailure('upstream_bad_response')
  const failure = findFault(body)
  if (failure !== undefined) return failure
  return foldReply(new ReplyReader().take({ type: 'response.completed', response: body }))
}
