import type { ImageBlock } from '../../../canonical/content.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { leftoversOf } from '../../fields/field-table.ts'
import { joinPath } from '../../fields/read-field.ts'
import { imageFields, sourceFields } from '../request/request-fields.ts'
import { readExtras } from '../values/extras.ts'
import { readCacheControl } from '../values/read-cache-control.ts'
import { requireObject } from '../values/read-field.ts'
import { readMediaSource } from './read-media-source.ts'

export function readImageBlock(object: JsonObject, path: string): ImageBlock {
  const source = requireObject(object, 'source', path)
  const { mark, leftovers } = readCacheControl(object, path)
  return {
    type: 'image',
    source: readMediaSource(source, joinPath(path, 'source')),
    ...mark,
    ...readExtras(object, imageFields, {
      source: leftoversOf(source, sourceFields),
      cache_control: leftovers,
    }),
  }
}
