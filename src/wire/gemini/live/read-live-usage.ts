import type { Usage } from '../../../canonical/usage.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { readUsage } from '../values/read-usage.ts'
import { withCamelNames } from './live-fields.ts'

/**
 * The usage in a message of a Live session, in disjoint classes. Undefined if the message has no usage. The fields are
 * the same as in a normal answer, but the output has other names (https://ai.google.dev/api/live#UsageMetadata, seen
 * 2026-11-25). Never throws.
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
