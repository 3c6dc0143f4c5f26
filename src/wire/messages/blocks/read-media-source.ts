import type { MediaSource } from '../../../canonical/content.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { fieldPath, invalidField, requiredString } from '../values/read-field.ts'

/** The source of an image or a document, where it is one of the three kinds that both have. */
export function readMediaSource(object: JsonObject, path: string): MediaSource {
  const type = requiredString({ object, path, name: 'type' })
  switch (type) {
    case 'base64': {
      const mediaType = requiredString({ object, path, name: 'media_type' })
      return { type, mediaType, data: requiredString({ object, path, name: 'data' }) }
    }
    case 'url':
      return { type, url: requiredString({ object, path, name: 'url' }) }
    case 'file':
      return { type, fileId: requiredString({ object, path, name: 'file_id' }) }
    default:
      throw invalidField(fieldPath(path, 'type'), 'a kind of source that this block can have')
  }
}
