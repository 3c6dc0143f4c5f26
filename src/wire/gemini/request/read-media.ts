import type {
  AudioBlock,
  DocumentBlock,
  ImageBlock,
  MediaSource,
  VideoBlock,
} from '../../../canonical/content.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { knownFields, leftoversOf } from '../../fields/field-table.ts'
import { asObject, joinPath, readString, requireString } from '../../fields/read-field.ts'
import { toExtras } from '../values/extras.ts'
import { withOwnNames } from './own-names.ts'
import { blobFields, fileDataFields, partFields } from './request-fields.ts'

const blob = knownFields(blobFields)
const fileData = knownFields(fileDataFields)
const known = knownFields(partFields)

export type MediaBlock = ImageBlock | DocumentBlock | AudioBlock | VideoBlock

/** The media of a part, by its type; undefined where it has none, or one that only this format holds. */
export function readMedia(part: JsonObject, path: string): MediaBlock | undefined {
  if (part['inlineData'] !== undefined) return readInline(part, path)
  return part['fileData'] === undefined ? undefined : readFile(part, path)
}

function readInline(part: JsonObject, path: string): MediaBlock | undefined {
  const innerPath = joinPath(path, 'inlineData')
  const holder = withOwnNames(asObject(part['inlineData'], innerPath), blobFields)
  const mediaType = requireString(holder, 'mimeType', innerPath)
  const data = requireString(holder, 'data', innerPath)
  const more = toExtras(leftoversOf(part, known), { inlineData: leftoversOf(holder, blob) })
  if (mediaType.startsWith('audio/')) {
    return { type: 'audio', data, encoding: encodingOf(mediaType), ...more }
  }
  const title = readString(holder, 'displayName', innerPath)
  return readKind({ source: { type: 'base64', mediaType, data }, mediaType, title, more })
}

/** Audio at an address cannot be carried in the canonical form. */
function readFile(part: JsonObject, path: string): MediaBlock | undefined {
  const innerPath = joinPath(path, 'fileData')
  const holder = withOwnNames(asObject(part['fileData'], innerPath), fileDataFields)
  const uri = requireString(holder, 'fileUri', innerPath)
  const mediaType = readString(holder, 'mimeType', innerPath) ?? guessMediaType(uri)
  if (mediaType?.startsWith('audio/') === true) return undefined
  const source = isHeldFile(uri) ? { type: 'file' as const, fileId: uri } : { type: 'url' as const, url: uri }
  const title = readString(holder, 'displayName', innerPath)
  const more = toExtras(leftoversOf(part, known), { fileData: leftoversOf(holder, fileData) })
  return readKind({ source, mediaType: mediaType ?? '', title, more })
}

interface FoundMedia {
  readonly source: MediaSource
  readonly mediaType: string
  readonly title: string | undefined
  readonly more: ReturnType<typeof toExtras>
}

function readKind({ source, mediaType, title, more }: FoundMedia): MediaBlock {
  if (mediaType.startsWith('image/')) return { type: 'image', source, ...more }
  if (mediaType.startsWith('video/') || isWatched(source)) return { type: 'video', source, ...more }
  return omitUndefined({ type: 'document' as const, source, title, ...more })
}

/** A video of that site is given by its page's address. */
function isWatched(source: MediaSource): boolean {
  return source.type === 'url' && /^https:\/\/(?:www\.)?(?:youtube\.com|youtu\.be)\//.test(source.url)
}

/** Whether Google keeps the file for the caller: those of the Files API and of Cloud Storage. */
export function isHeldFile(uri: string): boolean {
  return uri.startsWith('gs://') || /^https:\/\/[^/]*googleapis\.com\/.*\bfiles\//.test(uri)
}

/** MP3 has two names. */
function encodingOf(mediaType: string): string {
  const encoding = mediaType.slice('audio/'.length)
  return encoding === 'mpeg' ? 'mp3' : encoding
}

const mediaTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  heic: 'image/heic',
  heif: 'image/heif',
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  html: 'text/html',
  csv: 'text/csv',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
  mpeg: 'video/mpeg',
  wav: 'audio/wav',
  mp3: 'audio/mp3',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
}

/** The media type that the extension of an address suggests. */
export function guessMediaType(uri: string): string | undefined {
  const ending = /\.([a-z0-9]{2,4})(?:[?#]|$)/i.exec(uri)?.[1]?.toLowerCase()
  return ending === undefined ? undefined : mediaTypes[ending]
}
