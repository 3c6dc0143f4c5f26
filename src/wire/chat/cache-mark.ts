import type { CacheMark } from '../../canonical/content.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../kit/json.ts'

/** A `cache_control` as gateways of this format take it for models that cache on demand; undefined for any other value. */
export function readCacheMark(value: JsonValue | undefined): CacheMark | undefined {
  if (!isJsonObject(value) || value['type'] !== 'ephemeral') return undefined
  const { type: _type, ttl, ...unknown } = value
  if (Object.keys(unknown).length > 0) return undefined
  if (ttl === '5m' || ttl === '1h') return { lifetime: ttl }
  return ttl === undefined || ttl === null ? {} : undefined
}

/** The mark of an object that may hold one, and the field as it came where it is something else. */
export function readCacheField(source: JsonObject): {
  readonly mark: { readonly cache?: CacheMark }
  readonly unread: JsonValue | undefined
} {
  const value = source['cache_control'] ?? undefined
  const cache = readCacheMark(value)
  return cache === undefined ? { mark: {}, unread: value } : { mark: { cache }, unread: undefined }
}

export function writeCacheMark(mark: CacheMark): JsonObject {
  return mark.lifetime === undefined ? { type: 'ephemeral' } : { type: 'ephemeral', ttl: mark.lifetime }
}
