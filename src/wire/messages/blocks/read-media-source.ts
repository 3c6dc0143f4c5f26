import type { MediaSource } from '../../../canonical/content.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { joinPath } from '../../fields/read-field.ts'
import { invalidField, requireString } from '../values/field-readers.ts'

/** Reads the source of an image or a document, of one of the three kinds that both can have. */
export function readMediaSource(object: JsonObject, path: string): MediaSource {
  const type = requireString(object, 'type', path)
  switch (type) {
    case 'base64': {
      const mediaType = requireString(object, 'media_type', path)
      return { type, mediaType, data: requireString(object, 'data', path) }
    }
    case 'url':
      return { type, url: requireString(object, 'url', path) }
    case 'file':
      return { type, fileId: requireString(object, 'file_id', path) }
    default:
      throw invalidField(joinPath(path, 'type'), 'a kind of source that this block can have')
  }
}
