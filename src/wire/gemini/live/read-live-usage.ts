import type { Usage } from '../../../canonical/usage.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { readUsage } from '../values/read-usage.ts'
import { withCamelNames } from './live-fields.ts'

/**
 * The usage in a message of a Live session, in disjoint classes; undefined where there is none. It is that of an
 * answer, with the output under other names (https://ai.google.dev/api/live#UsageMetadata, seen 2026-11-25). Never
 * throws.
 */
export function readLiveUsage(value: JsonValue | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined
  const { responseTokenCount, responseTokensDetails, ...shared } = inOneSpelling(value)
  return readUsage({
    ...shared,
    ...(responseTokenCount !== undefined && { candidatesTokenCount: responseTokenCount }),
    ...(responseTokensDetails !== undefined && { candidatesTokensDetails: responseTokensDetails }),
  })
}

function inOneSpelling(usage: JsonObject): JsonObject {
  const named = withCamelNames(usage)
  if (named === usage) return usage
  const details = (value: JsonValue | undefined) =>
    isJsonArray(value) ? value.map((each) => (isJsonObject(each) ? withCamelNames(each) : each)) : value
  return Object.fromEntries(Object.entries(named).map(([name, value]) => [name, details(value)]))
}
