import type { CacheMark } from '../../../canonical/content.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { leftoversOf } from '../../fields/field-table.ts'
import { cacheControlFields } from '../request/request-fields.ts'
import { fieldPath, optionalObject, optionalWord } from './read-field.ts'

/** The mark of a block, a tool or the request, and what its `cache_control` says beyond it. */
export interface ReadCacheControl {
  readonly mark: { readonly cache?: CacheMark }
  readonly leftovers?: JsonObject
}

export function readCacheControl(object: JsonObject, path: string): ReadCacheControl {
  const control = optionalObject({ object, path, name: 'cache_control' })
  if (control === undefined) return { mark: {} }
  const inside = fieldPath(path, 'cache_control')
  optionalWord({ object: control, path: inside, name: 'type' }, ['ephemeral'])
  const lifetime = optionalWord({ object: control, path: inside, name: 'ttl' }, ['5m', '1h'])
  const leftovers = leftoversOf(control, cacheControlFields)
  return {
    mark: { cache: lifetime === undefined ? {} : { lifetime } },
    ...(leftovers === undefined ? {} : { leftovers }),
  }
}
