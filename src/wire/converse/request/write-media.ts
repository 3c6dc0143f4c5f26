import type {
  AudioBlock,
  DocumentBlock,
  ImageBlock,
  MediaSource,
  VideoBlock,
} from '../../../canonical/content.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { withExtras } from '../values/extras.ts'
import { lose, type WriteContext } from './write-context.ts'

/** The format's names by media type (API_runtime_ImageBlock.html and its neighbours, seen 2026-11-20). */
const imageFormats: ReadonlyMap<string, string> = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpeg'],
  ['image/jpg', 'jpeg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
])
const documentFormats: ReadonlyMap<string, string> = new Map([
  ['application/pdf', 'pdf'],
  ['text/csv', 'csv'],
  ['application/msword', 'doc'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  ['application/vnd.ms-excel', 'xls'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
  ['text/html', 'html'],
  ['text/plain', 'txt'],
  ['text/markdown', 'md'],
])
const videoFormats: ReadonlyMap<string, string> = new Map([
  ['video/mp4', 'mp4'],
  ['video/x-matroska', 'mkv'],
  ['video/quicktime', 'mov'],
  ['video/webm', 'webm'],
  ['video/x-flv', 'flv'],
  ['video/mpeg', 'mpeg'],
  ['video/x-ms-wmv', 'wmv'],
  ['video/3gpp', 'three_gp'],
])

/** An image by its bytes, or by where it lies in S3: nothing else is fetched. */
export function writeImage(block: ImageBlock, context: WriteContext): JsonObject | undefined {
  const { source, detail, extras } = block
  if (detail !== undefined) lose(context, 'image-detail', 'dropped')
  const written = writeSource(source, imageFormats)
  if (written === undefined) {
    lose(context, 'image', 'dropped')
    return undefined
  }
  return { image: withExtras(written, extras, { losses: context.losses, path: 'messages.content' }) }
}

export function writeVideo(block: VideoBlock, context: WriteContext): JsonObject | undefined {
  const written = writeSource(block.source, videoFormats)
  if (written === undefined) {
    lose(context, 'video', 'dropped')
    return undefined
  }
  return { video: withExtras(written, block.extras, { losses: context.losses, path: 'messages.content' }) }
}

/** What was spoken, by its bytes; where only its words are known, these. */
export function writeAudio(block: AudioBlock, context: WriteContext): JsonObject | undefined {
  const { data, encoding, transcript = '', extras } = block
  if (data !== undefined && encoding !== undefined) {
    const written = { format: encoding, source: { bytes: data } }
    return { audio: withExtras(written, extras, { losses: context.losses, path: 'messages.content' }) }
  }
  lose(context, 'audio', transcript.trim() === '' ? 'dropped' : 'approximated')
  return transcript.trim() === '' ? undefined : { text: transcript }
}

export function writeDocument(block: DocumentBlock, context: WriteContext): JsonObject | undefined {
  const { source, title, context: about, extras } = block
  const written = source.type === 'text' ? writeText(source.text) : writeSource(source, documentFormats)
  if (written === undefined || (source.type === 'text' && source.text === '')) {
    lose(context, 'document', 'dropped')
    return undefined
  }
  // Text is text, in bytes or not.
  if (source.type === 'base64' && written['format'] === 'txt') lose(context, 'document', 'approximated')
  const document = {
    ...written,
    name: nameDocument(title, context),
    ...(about === undefined || about === '' ? {} : { context: about }),
  }
  return { document: withExtras(document, extras, { losses: context.losses, path: 'messages.content' }) }
}

function writeText(text: string): JsonObject {
  return { format: 'txt', source: { bytes: Buffer.from(text, 'utf8').toString('base64') } }
}

/** Undefined where the format cannot say it. */
function writeSource(source: MediaSource, formats: ReadonlyMap<string, string>): JsonObject | undefined {
  if (source.type === 'file') return undefined
  if (source.type === 'base64') {
    const format = formats.get(source.mediaType.split(';')[0]?.trim().toLowerCase() ?? '')
    return format === undefined ? undefined : { format, source: { bytes: source.data } }
  }
  const ending = /^s3:\/\/.+\.([a-z0-9]+)$/i.exec(source.url)?.[1]?.toLowerCase()
  const format = [...formats.values()].find((name) => name === (ending === 'jpg' ? 'jpeg' : ending))
  return format === undefined ? undefined : { format, source: { s3Location: { uri: source.url } } }
}

const MAX_NAME_CHARACTERS = 200
const DEFAULT_NAME = 'Document'

/** A name that every document must have, of letters, digits, single spaces and some brackets; no two alike. */
function nameDocument(title: string | undefined, context: WriteContext): string {
  const name = title === undefined ? '' : fitName(title)
  if (title === undefined) lose(context, 'document', 'defaulted')
  else if (name !== title) lose(context, 'document', 'approximated')
  const { documentNames } = context
  const base = name === '' ? DEFAULT_NAME : name
  let unique = base
  let count = documentNames.get(base) ?? 2
  for (; documentNames.has(unique); count += 1) unique = `${base} ${count}`
  if (unique !== base && title !== undefined) lose(context, 'document', 'approximated')
  documentNames.set(unique, documentNames.get(unique) ?? 2)
  documentNames.set(base, count)
  return unique
}

function fitName(title: string): string {
  return title
    .replaceAll(/[^A-Za-z0-9\s()[\]-]+/g, '-')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_NAME_CHARACTERS)
}
