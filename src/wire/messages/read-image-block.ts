import type { ImageBlock } from '../../canonical/content.ts'
import type { JsonObject } from '../../kit/json.ts'
import { leftoversOf } from '../fields/field-table.ts'
import { readExtras } from './extras.ts'
import { imageFields, sourceFields } from './fields.ts'
import { readCacheControl } from './read-cache-control.ts'
import { fieldPath, requiredObject } from './read-field.ts'
import { readMediaSource } from './read-media-source.ts'

export function readImageBlock(object: JsonObject, place: string): ImageBlock {
  const source = requiredObject({ object, place, name: 'source' })
  const { mark, leftovers } = readCacheControl(object, place)
  return {
    type: 'image',
    source: readMediaSource(source, fieldPath(place, 'source')),
    ...mark,
    ...readExtras(object, imageFields, {
      source: leftoversOf(source, sourceFields),
      cache_control: leftovers,
    }),
  }
}
