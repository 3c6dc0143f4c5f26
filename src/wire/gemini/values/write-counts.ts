import { inputTokensOf, type Usage } from '../../../canonical/usage.ts'
import type { JsonObject } from '../../../kit/json/json.ts'

/** What vectors cost: nothing comes out but numbers. */
export function writeCounts(usage: Usage): JsonObject {
  const promptTokenCount = inputTokensOf(usage)
  return { promptTokenCount, totalTokenCount: promptTokenCount + usage.outputTokens }
}
