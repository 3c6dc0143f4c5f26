import type { CacheMark } from '../../../canonical/content.ts'
import type { JsonObject } from '../../../kit/json/json.ts'

/** The `cache_control` field, to be spread into a block or a tool. Empty without a mark. */
export function writeCacheControl(cache: CacheMark | undefined): { readonly cache_control?: JsonObject } {
  if (cache === undefined) return {}
  const ttl = cache.lifetime === undefined ? {} : { ttl: cache.lifetime }
  return { cache_control: { type: 'ephemeral', ...ttl } }
}
