import { createFailure } from '../../../canonical/failure.ts'
import { isJsonObject, type JsonValue } from '../../../kit/json/json.ts'
import type { WatchedReply } from '../../wire-format.ts'
import { createUpstreamFailure } from '../errors/create-upstream-failure.ts'
import { readErrorWords } from '../errors/read-error-words.ts'

/** A whole number of tokens, or it is no answer. */
export function watchReply(body: JsonValue): WatchedReply {
  const words = readErrorWords(body)
  if (words !== undefined) return { failure: createUpstreamFailure({ words }) }
  const count = isJsonObject(body) ? body['input_tokens'] : undefined
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0
    ? {}
    : { failure: createFailure('upstream_bad_response') }
}
