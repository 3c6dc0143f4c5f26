import type { CacheMark } from '../../../canonical/content.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'

/**
 * Reads a `cache_control` in the form that gateways of this format accept for models that cache on demand. Undefined
 * for any other value.
 */
function readCacheMark(value: JsonValue | undefined): CacheMark | undefined {
  if (!isJsonObject(value) || value['type'] !== 'ephemeral') return undefined
  const { ttl } = value
  if (ttl === '5m' || ttl === '1h') return { lifetime: ttl }
  return ttl === undefined || ttl === null ? {} : undefined
}

/**
 * Returns the cache mark of an object, and the object's other fields. A mark of another shape stays among those fields.
 */
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
