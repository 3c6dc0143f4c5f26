import { createFailure, type Failure } from '../../../canonical/failure.ts'
import { foldReply } from '../../../canonical/fold-reply.ts'
import type { Reply } from '../../../canonical/reply.ts'
import { runToEnd, type Steps } from '../../../kit/async/steps.ts'
import { isJsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { findResponseFailure, findUnfinished } from './failed-response.ts'
import { ReplyReader } from './reply-reader.ts'

/** Reads a whole answer as a stream with only the final event. Never throws. */
export function readReply(body: JsonValue): Reply | Failure {
  return runToEnd(readReplyInSteps(body))
}

export function* readReplyInSteps(body: JsonValue): Steps<Reply | Failure> {
  if (!isJsonObject(body)) return createFailure('upstream_bad_response')
  const failure = findResponseFailure(body) ?? findUnfinished(body)
  if (failure !== undefined) return failure
  const events = yield* new ReplyReader().readWhole(body)
  yield
  return foldReply(events)
}
