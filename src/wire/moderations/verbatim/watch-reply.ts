import { createFailure } from '../../../canonical/failure.ts'
import { noUsage } from '../../../canonical/usage.ts'
import { isJsonArray, isJsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { readErrorInAnswer } from '../../errors/read-error.ts'
import { readUsage } from '../../openai/values/read-usage.ts'
import type { WatchedReply } from '../../watched-reply.ts'

/** An answer without results is rejected. A caller would treat the unchecked input as harmless. */
export function watchReply(body: JsonValue): WatchedReply {
  if (!isJsonObject(body)) return { failure: createFailure('upstream_bad_response') }
  const { results, usage } = body
  if (!isJsonArray(results) || results.length === 0)
    return { failure: readErrorInAnswer(body) ?? createFailure('upstream_bad_response') }
  // OpenAI reports no usage, and bills none.
  return { usage: readUsage(usage) ?? noUsage }
}
