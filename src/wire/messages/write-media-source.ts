import type { MediaSource } from '../../canonical/content.ts'
import type { JsonObject } from '../../kit/json.ts'

export function writeMediaSource(source: MediaSource): JsonObject {
  switch (source.type) {
    case 'base64':
      return { type: source.type, media_type: properName(source.mediaType), data: source.data }
    case 'url':
      return { type: source.type, url: source.url }
    case 'file':
      return { type: source.type, file_id: source.fileId }
  }
}

/** The provider knows the type under its registered name alone; clients often make it up from the file's ending. */
function properName(mediaType: string): string {
  return mediaType === 'image/jpg' ? 'image/jpeg' : mediaType
}
