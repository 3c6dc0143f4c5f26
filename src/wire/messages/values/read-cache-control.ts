import type { CacheMark } from '../../../canonical/content.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { leftoversOf } from '../../fields/field-table.ts'
import { joinPath } from '../../fields/read-field.ts'
import { cacheControlFields } from '../request/request-fields.ts'
import { readObject, readWord } from './field-readers.ts'

/** The cache mark of a block, a tool or the request, and the other fields of its `cache_control`. */
export interface ReadCacheControl {
  readonly mark: { readonly cache?: CacheMark }
  readonly leftovers?: JsonObject
}

export function readCacheControl(object: JsonObject, path: string): ReadCacheControl {
  const control = readObject(object, 'cache_control', path)
  if (control === undefined) return { mark: {} }
  const inside = joinPath(path, 'cache_control')
  readWord(control, 'type', { path: inside, words: ['ephemeral'] })
  const lifetime = readWord(control, 'ttl', { path: inside, words: ['5m', '1h'] })
  const leftovers = leftoversOf(control, cacheControlFields)
  return {
    mark: { cache: lifetime === undefined ? {} : { lifetime } },
    ...(leftovers === undefined ? {} : { leftovers }),
  }
}
