import type { ImageBlock, MediaSource } from '../../../canonical/content.ts'
import type { LossList } from '../../../canonical/loss.ts'
import { SNIFFED_BYTES, sniffMediaType } from '../../../kit/bytes/sniff-media-type.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { withExtras } from '../values/extras.ts'
import { writeCacheControl } from '../values/write-cache-control.ts'

export function writeImage(block: ImageBlock, losses: LossList): JsonObject {
  const { detail, source, cache, extras } = block
  if (detail !== undefined) losses.lose('image-detail', 'dropped')
  const written = { type: 'image', source: writeMediaSource(source), ...writeCacheControl(cache) }
  return withExtras(written, extras, { losses, path: 'messages.content' })
}

export function writeMediaSource(source: MediaSource): JsonObject {
  switch (source.type) {
    case 'base64':
      return { type: source.type, media_type: mediaTypeOf(source), data: source.data }
    case 'url':
      return { type: source.type, url: source.url }
    case 'file':
      return { type: source.type, file_id: source.fileId }
  }
}

/** The media types that the provider accepts (docs/build-with-claude/vision and …/pdf-support, seen 2026-11-20). */
const accepted: ReadonlySet<string> = new Set([
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
  'application/pdf',
])

/**
 * The media type of base64 data. The provider accepts only registered type names, but clients derive the type from the
 * file extension or send none. For a name that the provider does not accept, the first bytes decide if they identify
 * the type.
 */
function mediaTypeOf({ mediaType, data }: Extract<MediaSource, { readonly type: 'base64' }>): string {
  if (accepted.has(mediaType)) return mediaType
  const head = Buffer.from(data.slice(0, SNIFFED_CHARACTERS), 'base64')
  return sniffMediaType(head) ?? (mediaType === 'image/jpg' ? 'image/jpeg' : mediaType)
}

/** The base64 characters that hold `SNIFFED_BYTES`: four characters hold three bytes. */
const SNIFFED_CHARACTERS = (SNIFFED_BYTES / 3) * 4
