import type { ImageBlock } from '../../../canonical/content.ts'
import { SNIFFED_BYTES, sniffMediaType } from '../../../kit/bytes/sniff-media-type.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { readMediaUrl } from '../../fields/media-url.ts'
import { invalidField, joinPath, readArray } from '../../fields/read-field.ts'

/** The characters of base64 that hold the bytes by which a kind of file is recognised. */
const SNIFFED_CHARACTERS = Math.ceil(SNIFFED_BYTES / 3) * 4

/** Images as base64 alone: their bytes say what they are. A `data:` URL, which some clients send, says it itself. */
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
