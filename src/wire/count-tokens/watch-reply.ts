import { createFailure } from '../../canonical/failure.ts'
import { isJsonObject, type JsonValue } from '../../kit/json.ts'
import { createUpstreamFailure } from '../messages/create-upstream-failure.ts'
import { readErrorWords } from '../messages/read-error-words.ts'
import type { WatchedReply } from '../wire-format.ts'

/** A whole number of tokens, or it is no answer. */
export function watchReply(body: JsonValue): WatchedReply {
  const words = readErrorWords(body)
  if (words !== undefined) return { failure: createUpstreamFailure({ words }) }
  const count = isJsonObject(body) ? body['input_tokens'] : undefined
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0
    ? {}
    : { failure: createFailure('upstream_bad_response') }
}
