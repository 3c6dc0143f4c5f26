import type { Channel } from '../../catalog/channel.ts'
import { isJsonArray, isJsonObject, type JsonValue } from '../../kit/json/json.ts'
import type { ModelLists } from '../provider.ts'

/**
 * Models that can be called as they are, and profiles that call them in several regions, of which the newest models
 * have no other name (API_ListFoundationModels.html and API_ListInferenceProfiles.html, seen 2026-11-20).
 */
export const bedrockModels: ModelLists = { addressesOf, readNames }

const LISTS = ['/foundation-models?byInferenceType=ON_DEMAND', '/inference-profiles?maxResults=1000']

/** Lists are told by another host than answers; an address of the operator's own serves both. */
function addressesOf({ baseUrl }: Channel): readonly string[] {
  const root = baseUrl.replace(
    /^https:\/\/bedrock-runtime\.([a-z0-9-]+\.amazonaws\.com)/,
    'https://bedrock.$1',
  )
  return LISTS.map((list) => root + list)
}

function readNames(body: JsonValue): readonly string[] | undefined {
  const list = isJsonObject(body) ? (body['modelSummaries'] ?? body['inferenceProfileSummaries']) : undefined
  if (!isJsonArray(list)) return undefined
  return list.flatMap((item) => {
    if (!isJsonObject(item)) return []
    const name = item['modelId'] ?? item['inferenceProfileId']
    return typeof name === 'string' ? [name] : []
  })
}
