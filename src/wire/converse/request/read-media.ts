import { isUtf8 } from 'node:buffer'
import type {
  AudioBlock,
  DocumentBlock,
  ImageBlock,
  MediaSource,
  OpaqueBlock,
  VideoBlock,
} from '../../../canonical/content.ts'
import { isJsonObject, type JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { knownFields, leftoversOf } from '../../fields/field-table.ts'
import { joinPath, readString, requireObject, requireString } from '../../fields/read-field.ts'
import { toExtras } from '../values/extras.ts'
import { documentFormats, imageFormats, mediaTypeOf, videoFormats } from '../values/media-types.ts'
import { documentFields, mediaFields } from './request-fields.ts'

const media = knownFields(mediaFields)
const document = knownFields(documentFields)

/** Reads an image. An image, video or audio with a source that only this format has becomes an opaque block. */
export function readImage(block: JsonObject, path: string): ImageBlock | OpaqueBlock {
  const { format, source, extras } = readHolder(block, 'image', path)
  const read = readSource(source, mediaTypeOf(imageFormats, format, 'image'))
  return read === undefined ? opaque(block) : { type: 'image', source: read, ...extras }
}

export function readVideo(block: JsonObject, path: string): VideoBlock | OpaqueBlock {
  const { format, source, extras } = readHolder(block, 'video', path)
  const read = readSource(source, mediaTypeOf(videoFormats, format, 'video'))
  return read === undefined ? opaque(block) : { type: 'video', source: read, ...extras }
}

export function readAudio(block: JsonObject, path: string): AudioBlock | OpaqueBlock {
  const { format, source, extras } = readHolder(block, 'audio', path)
  const { bytes } = source
  return typeof bytes === 'string'
    ? { type: 'audio', data: bytes, encoding: format, ...extras }
    : opaque(block)
}

function readHolder(block: JsonObject, kind: string, path: string) {
  const inner = joinPath(path, kind)
  const holder = requireObject(block, kind, path)
  return {
    format: requireString(holder, 'format', inner),
    source: requireObject(holder, 'source', inner),
    extras: toExtras(leftoversOf(holder, media)),
  }
}

export function readDocument(block: JsonObject, path: string): DocumentBlock | OpaqueBlock {
  const inner = joinPath(path, 'document')
  const holder = requireObject(block, 'document', path)
  const format = readString(holder, 'format', inner) ?? 'txt'
  const source = requireObject(holder, 'source', inner)
  const text = format === 'txt' ? readText(source) : undefined
  const read =
    text === undefined
      ? readSource(source, mediaTypeOf(documentFormats, format, 'application'))
      : { type: 'text' as const, text }
  if (read === undefined) return opaque(block)
  return omitUndefined({
    type: 'document' as const,
    source: read,
    title: requireString(holder, 'name', inner),
    context: readString(holder, 'context', inner),
    ...toExtras(leftoversOf(holder, document)),
  })
}

/** The text of a document, given as text or as UTF-8 bytes in base64. Undefined for other bytes. */
function readText({ text, bytes }: JsonObject): string | undefined {
  if (typeof text === 'string') return text
  const decoded = typeof bytes === 'string' ? Buffer.from(bytes, 'base64') : undefined
  return decoded !== undefined && isUtf8(decoded) ? decoded.toString('utf8') : undefined
}

/** Reads a source: bytes, or a location in S3. Undefined for another kind of source. */
function readSource(source: JsonObject, mediaType: string): MediaSource | undefined {
  const { bytes, s3Location: location } = source
  if (typeof bytes === 'string') return { type: 'base64', mediaType, data: bytes }
  const uri = isJsonObject(location) ? location['uri'] : undefined
  return typeof uri === 'string' ? { type: 'url', url: uri } : undefined
}

/** A block that only this format has. Its one field is its kind. */
export function opaque(value: JsonObject): OpaqueBlock {
  const [name] = Object.keys(value)
  return omitUndefined({ type: 'opaque' as const, format: 'converse' as const, value, name })
}
