import type { ImageBlock } from '../../../canonical/content.ts'
import { SNIFFED_BYTES, sniffMediaType } from '../../../kit/bytes/sniff-media-type.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { readMediaUrl } from '../../fields/media-url.ts'
import { invalidField, joinPath, readArray } from '../../fields/read-field.ts'

/** The number of base64 characters with the first bytes of a file, by which its type is recognized. */
const SNIFFED_CHARACTERS = Math.ceil(SNIFFED_BYTES / 3) * 4

/**
 * Reads images as plain base64. Their first bytes show the type of the file. A `data:` URL, which some clients send,
 * states the type itself.
 */
export function readImages(holder: JsonObject, path: string): readonly ImageBlock[] {
  const inner = joinPath(path, 'images')
  return (readArray(holder, 'images', path) ?? []).map((item, index) => readImage(item, `${inner}[${index}]`))
}

function readImage(item: JsonValue, path: string): ImageBlock {
  if (typeof item !== 'string') throw invalidField(path, 'an image as base64')
  if (item.startsWith('data:')) return { type: 'image', source: readMediaUrl(item) }
  const mediaType = sniffMediaType(Buffer.from(item.slice(0, SNIFFED_CHARACTERS), 'base64'))
  if (mediaType?.startsWith('image/') !== true)
    throw invalidField(path, 'an image as base64: PNG, JPEG, GIF or WebP')
  return { type: 'image', source: { type: 'base64', mediaType, data: item } }
}
