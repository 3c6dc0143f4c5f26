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
  const { responseTokenCount, responseTokensDetails, promptTokensDetails, ...shared } = inOneSpelling(value)
  const usage = {
    ...shared,
    ...(responseTokenCount !== undefined && { candidatesTokenCount: responseTokenCount }),
    ...(responseTokensDetails !== undefined && { candidatesTokensDetails: responseTokensDetails }),
    ...(promptTokensDetails !== undefined && { promptTokensDetails: withVideoAsImages(promptTokensDetails) }),
  }
  return readUsage(lacksThoughts(usage) ? { ...usage, totalTokenCount: sumOf(usage, allCounts) } : usage)
}

const besideThoughts = ['promptTokenCount', 'toolUsePromptTokenCount', 'candidatesTokenCount']
const allCounts = [...besideThoughts, 'thoughtsTokenCount']

/**
 * Whether the total is the sum of all counts but the thoughts, as `gemini-3.8-live` states it
 * (https://discuss.ai.google.dev/t/188765, seen 2026-11-30).
 */
function lacksThoughts(usage: JsonObject): boolean {
  return usage['totalTokenCount'] === sumOf(usage, besideThoughts)
}

function sumOf(usage: JsonObject, names: readonly string[]): number {
  return names.reduce((sum, name) => {
    const count = usage[name]
    return typeof count === 'number' ? sum + count : sum
  }, 0)
}

/**
 * The frames of a camera cost as much as images (https://ai.google.dev/gemini-api/docs/pricing, seen 2026-11-30). 3 is
 * the enum number of video.
 */
function withVideoAsImages(details: JsonValue): JsonValue | undefined {
  const isVideo = (detail: JsonObject) => detail['modality'] === 'VIDEO' || detail['modality'] === 3
  return mapObjects(details, (detail) => (isVideo(detail) ? { ...detail, modality: 'IMAGE' } : detail))
}

function inOneSpelling(usage: JsonObject): JsonObject {
  const named = withCamelNames(usage)
  if (named === usage) return usage
  return Object.fromEntries(
    Object.entries(named).map(([name, value]) => [name, mapObjects(value, withCamelNames)]),
  )
}

function mapObjects(
  value: JsonValue | undefined,
  map: (each: JsonObject) => JsonObject,
): JsonValue | undefined {
  return isJsonArray(value) ? value.map((each) => (isJsonObject(each) ? map(each) : each)) : value
}
