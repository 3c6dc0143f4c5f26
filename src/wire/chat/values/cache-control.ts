import type { CacheMark } from '../../../canonical/content.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'

/**
 * A `cache_control` as gateways of this format take it for models that cache on demand; undefined for any other value.
 */
function readCacheMark(value: JsonValue | undefined): CacheMark | undefined {
  if (!isJsonObject(value) || value['type'] !== 'ephemeral') return undefined
  const { ttl } = value
  if (ttl === '5m' || ttl === '1h') return { lifetime: ttl }
  return ttl === undefined || ttl === null ? {} : undefined
}

/** The cache mark of an object and its other fields; a value of another shape stays unchanged. */
export function readCacheField(source: JsonObject): {
  readonly mark: { readonly cache?: CacheMark }
  readonly unread: JsonValue | undefined
} {
  const value = source['cache_control'] ?? undefined
  const cache = readCacheMark(value)
  if (cache === undefined || !isJsonObject(value)) return { mark: {}, unread: value }
  const { type: _type, ttl: _ttl, ...unknown } = value
  return { mark: { cache }, unread: Object.keys(unknown).length === 0 ? undefined : unknown }
}

export function writeCacheMark(mark: CacheMark): JsonObject {
  return mark.lifetime === undefined ? { type: 'ephemeral' } : { type: 'ephemeral', ttl: mark.lifetime }
}
