import type { MediaSource } from '../../../canonical/content.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { fieldPath, invalidField, requiredString } from '../values/read-field.ts'

/** The source of an image or a document, where it is one of the three kinds that both have. */
export function readMediaSource(object: JsonObject, place: string): MediaSource {
  const type = requiredString({ object, place, name: 'type' })
  switch (type) {
    case 'base64': {
      const mediaType = requiredString({ object, place, name: 'media_type' })
      return { type, mediaType, data: requiredString({ object, place, name: 'data' }) }
    }
    case 'url':
      return { type, url: requiredString({ object, place, name: 'url' }) }
    case 'file':
      return { type, fileId: requiredString({ object, place, name: 'file_id' }) }
    default:
      throw invalidField(fieldPath(place, 'type'), 'a kind of source that this block can have')
  }
}
