import { inputTokensOf, type Usage } from '../../../canonical/usage.ts'
import type { JsonObject } from '../../../kit/json/json.ts'

/** Writes the usage of embeddings, which have no output tokens. */
export function writeCounts(usage: Usage): JsonObject {
  const promptTokenCount = inputTokensOf(usage)
  return { promptTokenCount, totalTokenCount: promptTokenCount + usage.outputTokens }
}
