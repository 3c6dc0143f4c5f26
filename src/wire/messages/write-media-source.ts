import type { MediaSource } from '../../canonical/content.ts'
import type { JsonObject } from '../../kit/json.ts'

export function writeMediaSource(source: MediaSource): JsonObject {
  switch (source.type) {
    case 'base64':
      return { type: source.type, media_type: source.mediaType, data: source.data }
    case 'url':
      return { type: source.type, url: source.url }
    case 'file':
      return { type: source.type, file_id: source.fileId }
  }
}
