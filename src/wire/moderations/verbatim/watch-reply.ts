import { createFailure } from '../../../canonical/failure.ts'
import { noUsage } from '../../../canonical/usage.ts'
import { isJsonArray, isJsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { readErrorInAnswer } from '../../errors/read-error.ts'
import { readUsage } from '../../openai/values/read-usage.ts'
import type { WatchedReply } from '../../watched-reply.ts'

/** An answer without results is rejected. A caller would treat the unchecked input as harmless. */
export function watchReply(body: JsonValue): WatchedReply {
  if (!isJsonObject(body)) return { failure: createFailure('upstream_bad_response') }
  const { results, model, usage } = body
  if (!isJsonArray(results) || results.length === 0)
    return { failure: readErrorInAnswer(body) ?? createFailure('upstream_bad_response') }
  return omitUndefined({
    // OpenAI reports no usage, and bills none.
    usage: readUsage(usage) ?? noUsage,
    model: typeof model === 'string' && model !== '' ? model : undefined,
  })
}
