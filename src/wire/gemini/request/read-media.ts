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
import { isHeldFile } from '../../fields/lose-stored-file.ts'
import { asObject, joinPath, readString, requireString } from '../../fields/read-field.ts'
import { toExtras } from '../values/extras.ts'
import { withOwnNames } from './own-names.ts'
import { blobFields, fileDataFields, partFields } from './request-fields.ts'

const blob = knownFields(blobFields)
const fileData = knownFields(fileDataFields)
const known = knownFields(partFields)

export type MediaBlock = ImageBlock | DocumentBlock | AudioBlock | VideoBlock

/** Reads the media of a part. Undefined if the part has no media, or a kind of media that only this format has. */
export function readMedia(part: JsonObject, path: string): MediaBlock | undefined {
  if (part['inlineData'] !== undefined) return readInline(part, path)
  return part['fileData'] === undefined ? undefined : readFile(part, path)
}

function readInline(part: JsonObject, path: string): MediaBlock {
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

/** Reads a file of a part. Undefined for audio at a URL, which the canonical form cannot carry. */
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

/** Whether a source is a YouTube video, which the format accepts by the URL of its page. */
function isWatched(source: MediaSource): boolean {
  return source.type === 'url' && /^https:\/\/(?:www\.)?(?:youtube\.com|youtu\.be)\//.test(source.url)
}

/** The canonical name of an audio encoding. MP3 has two names. */
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

/** Guesses the media type by the file extension of a URL. Undefined for an unknown extension. */
export function guessMediaType(uri: string): string | undefined {
  const ending = /\.([a-z0-9]{2,4})(?:[?#]|$)/i.exec(uri)?.[1]?.toLowerCase()
  return ending === undefined ? undefined : mediaTypes[ending]
}
