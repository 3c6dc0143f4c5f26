import type { ImageBlock } from '../../../canonical/content.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { leftoversOf } from '../../fields/field-table.ts'
import { imageFields, sourceFields } from '../request/request-fields.ts'
import { readExtras } from '../values/extras.ts'
import { readCacheControl } from '../values/read-cache-control.ts'
import { fieldPath, requiredObject } from '../values/read-field.ts'
import { readMediaSource } from './read-media-source.ts'

export function readImageBlock(object: JsonObject, path: string): ImageBlock {
  const source = requiredObject({ object, path, name: 'source' })
  const { mark, leftovers } = readCacheControl(object, path)
  return {
    type: 'image',
    source: readMediaSource(source, fieldPath(path, 'source')),
    ...mark,
    ...readExtras(object, imageFields, {
      source: leftoversOf(source, sourceFields),
      cache_control: leftovers,
    }),
  }
}
