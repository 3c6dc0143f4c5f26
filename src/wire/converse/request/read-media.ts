import { isUtf8 } from 'node:buffer'
import type {
  AudioBlock,
  DocumentBlock,
  ImageBlock,
  MediaSource,
  OpaqueBlock,
  VideoBlock,
} from '../../../canonical/content.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { knownFields, leftoversOf } from '../../fields/field-table.ts'
import { joinPath, readString, requireObject, requireString } from '../../fields/read-field.ts'
import { toExtras } from '../values/extras.ts'
import { documentFormats, imageFormats, mediaTypeOf, videoFormats } from '../values/media-types.ts'
import { ownSourceFields } from '../values/own-source.ts'
import { documentFields, mediaFields } from './request-fields.ts'

const media = knownFields(mediaFields)
const document = knownFields(documentFields)

/** Reads an image. An image, video or audio with a source that only this format has becomes an opaque block. */
export function readImage(block: JsonObject, path: string): ImageBlock | OpaqueBlock {
  const { format, source, extras } = readHolder(block, 'image', { path, formats: imageFormats })
  const read = readSource(source, mediaTypeOf(imageFormats, format, 'image'))
  return read === undefined ? opaque(block) : { type: 'image', source: read, ...extras }
}

export function readVideo(block: JsonObject, path: string): VideoBlock | OpaqueBlock {
  const { format, source, extras } = readHolder(block, 'video', { path, formats: videoFormats })
  const read = readSource(source, mediaTypeOf(videoFormats, format, 'video'))
  return read === undefined ? opaque(block) : { type: 'video', source: read, ...extras }
}

export function readAudio(block: JsonObject, path: string): AudioBlock | OpaqueBlock {
  const { format, source, extras } = readHolder(block, 'audio', { path, formats: new Map() })
  const { bytes } = source
  return typeof bytes === 'string'
    ? { type: 'audio', data: bytes, encoding: format, ...extras }
    : opaque(block)
}

interface HolderContext {
  readonly path: string
  readonly formats: ReadonlyMap<string, string>
}

function readHolder(block: JsonObject, kind: string, { path, formats }: HolderContext) {
  const inner = joinPath(path, kind)
  const holder = requireObject(block, kind, path)
  const format = requireString(holder, 'format', inner)
  const source = requireObject(holder, 'source', inner)
  const own = ownSourceFields({ format, source }, formats)
  return { format, source, extras: toExtras(leftoversOf(holder, media), own) }
}

export function readDocument(block: JsonObject, path: string): DocumentBlock | OpaqueBlock {
  const inner = joinPath(path, 'document')
  const holder = requireObject(block, 'document', path)
  const named = readString(holder, 'format', inner)
  const source = requireObject(holder, 'source', inner)
  const read = readFile(source, named ?? 'txt')
  if (read === undefined) return opaque(block)
  return omitUndefined({
    type: 'document' as const,
    source: read,
    title: requireString(holder, 'name', inner),
    context: readString(holder, 'context', inner),
    ...toExtras(leftoversOf(holder, document), ownSourceFields({ format: named, source }, documentFormats)),
  })
}

/**
 * Reads the file of a document. Text in another format than `txt` becomes bytes of that type. Undefined for a source
 * that the canonical form cannot hold, such as text for a PDF file.
 */
function readFile(source: JsonObject, format: string): DocumentBlock['source'] | undefined {
  const mediaType = mediaTypeOf(documentFormats, format, 'application')
  const text = joinTexts(source['content']) ?? (format === 'txt' ? readText(source) : undefined)
  if (text !== undefined) return { type: 'text', text }
  const { text: written } = source
  if (typeof written === 'string' && mediaType.startsWith('text/'))
    return { type: 'base64', mediaType, data: Buffer.from(written, 'utf8').toString('base64') }
  return readSource(source, mediaType)
}

/** The text of a document that is given in parts. Undefined where a part is not text. */
function joinTexts(content: JsonValue | undefined): string | undefined {
  if (!isJsonArray(content)) return undefined
  const texts = content.map((part) => (isJsonObject(part) ? part['text'] : undefined))
  return texts.every((text) => typeof text === 'string') ? texts.join('\n\n') : undefined
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
