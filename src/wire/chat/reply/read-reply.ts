import { createFailure, type Failure } from '../../../canonical/failure.ts'
import { foldReply } from '../../../canonical/fold-reply.ts'
import type { Reply } from '../../../canonical/reply.ts'
import { isJsonArray, isJsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { endReply } from './end-reply.ts'
import { readChunk } from './read-chunk.ts'
import { createReaderState } from './reader-state.ts'

/** A whole answer is read as the one chunk of a stream, so that both share one mapping. */
export function readReply(body: JsonValue): Reply | Failure {
  if (!isJsonObject(body)) return createFailure('upstream_bad_response')
  const state = createReaderState()
  readChunk(state, body, true)
  if (!state.isOver && !isJsonArray(body['choices'])) return createFailure('upstream_bad_response')
  endReply(state)
  return foldReply(state.events)
}
