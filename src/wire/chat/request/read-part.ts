import type {
  AudioBlock,
  DocumentBlock,
  ImageBlock,
  OpaqueBlock,
  RefusalBlock,
  TextBlock,
  ThinkingBlock,
  VideoBlock,
} from '../../../canonical/content.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { knownFields, leftoversOf } from '../../fields/field-table.ts'
import { readMediaUrl } from '../../fields/media-url.ts'
import {
  asObject,
  invalidField,
  joinPath,
  missingField,
  readString,
  requireString,
} from '../../fields/read-field.ts'
import { readFileData } from '../../fields/read-file-data.ts'
import { readCacheField } from '../values/cache-control.ts'
import { toExtras } from '../values/extras.ts'
import {
  audioPartFields,
  fileFields,
  filePartFields,
  imagePartFields,
  imageUrlFields,
  inputAudioFields,
  refusalPartFields,
  textPartFields,
  vendorDocumentPartFields,
  vendorPartFields,
  vendorThinkingPartFields,
  vendorVideoPartFields,
} from './request-fields.ts'

const textPart = knownFields(textPartFields, vendorPartFields)
const imagePart = knownFields(imagePartFields, vendorPartFields)
const imageUrl = knownFields(imageUrlFields)
const audioPart = knownFields(audioPartFields)
const inputAudio = knownFields(inputAudioFields)
const filePart = knownFields(filePartFields, vendorPartFields)
const file = knownFields(fileFields)
const refusalPart = knownFields(refusalPartFields)
const videoPart = knownFields(vendorVideoPartFields)
const documentPart = knownFields(vendorDocumentPartFields, vendorPartFields)
const thinkingPart = knownFields(vendorThinkingPartFields)

/** Reads one part of a content list. `path` is its JSON path, such as `messages[2].content[0]`. */
export function readTextPart(part: JsonObject, path: string): TextBlock {
  const { mark, unread } = readCacheField(part)
  return {
    type: 'text',
    text: requireString(part, 'text', path),
    ...mark,
    ...toExtras(leftoversOf(part, textPart), { cache_control: unread }),
  }
}

/** `image_url` may be the URL itself, in Mistral's form. */
export function readImagePart(part: JsonObject, path: string): ImageBlock {
  const { mark, unread } = readCacheField(part)
  const { url, holder } = readUrlField(part, 'image_url', path)
  const detail = readString(holder, 'detail', joinPath(path, 'image_url'))
  return omitUndefined({
    type: 'image' as const,
    source: readMediaUrl(url),
    detail,
    ...mark,
    ...toExtras(leftoversOf(part, imagePart), {
      cache_control: unread,
      image_url: leftoversOf(holder, imageUrl),
    }),
  })
}

function readUrlField(
  part: JsonObject,
  name: string,
  path: string,
): { readonly url: string; readonly holder: JsonObject } {
  const value = part[name] ?? undefined
  if (value === undefined) throw missingField(joinPath(path, name))
  if (typeof value === 'string') return { url: value, holder: {} }
  const holder = asObject(value, joinPath(path, name))
  return { url: requireString(holder, 'url', joinPath(path, name)), holder }
}

export function readAudioPart(part: JsonObject, path: string): AudioBlock {
  const innerPath = joinPath(path, 'input_audio')
  const audio = asObject(part['input_audio'], innerPath)
  return {
    type: 'audio',
    data: requireString(audio, 'data', innerPath),
    encoding: requireString(audio, 'format', innerPath),
    ...toExtras(leftoversOf(part, audioPart), { input_audio: leftoversOf(audio, inputAudio) }),
  }
}

export function readVideoPart(part: JsonObject, path: string): VideoBlock {
  const { url, holder } = readUrlField(part, 'video_url', path)
  const inner = leftoversOf(holder, imageUrl)
  return {
    type: 'video',
    source: readMediaUrl(url),
    ...toExtras(leftoversOf(part, videoPart), { video_url: inner }),
  }
}

/** Reads a file by its bytes, its ID, or its URL (which OpenRouter accepts as `file_data`). */
export function readFilePart(part: JsonObject, path: string): DocumentBlock | OpaqueBlock {
  const innerPath = joinPath(path, 'file')
  const holder = asObject(part['file'], innerPath)
  const data = readString(holder, 'file_data', innerPath)
  const fileId = readString(holder, 'file_id', innerPath)
  if (data === undefined && fileId === undefined) {
    throw invalidField(innerPath, 'an object with "file_data" or "file_id"')
  }
  const title = readString(holder, 'filename', innerPath)
  const source = data === undefined ? undefined : readFileData(data, title)
  const isAddress = source?.type === 'url' && /^https?:/.test(source.url)
  if (source?.type === 'url' && !isAddress) return { type: 'opaque', format: 'chat', value: part }
  if (data !== undefined && fileId !== undefined) return { type: 'opaque', format: 'chat', value: part }
  const { mark, unread } = readCacheField(part)
  return omitUndefined({
    type: 'document' as const,
    source: source ?? { type: 'file' as const, fileId: fileId ?? '' },
    title,
    ...mark,
    ...toExtras(leftoversOf(part, filePart), { cache_control: unread, file: leftoversOf(holder, file) }),
  })
}

/** Reads Mistral's documents, which have a URL or a `data:` URL. */
export function readDocumentPart(part: JsonObject, path: string): DocumentBlock {
  const { mark, unread } = readCacheField(part)
  const { url, holder } = readUrlField(part, 'document_url', path)
  return omitUndefined({
    type: 'document' as const,
    source: readMediaUrl(url),
    title: readString(part, 'document_name', path),
    ...mark,
    ...toExtras(leftoversOf(part, documentPart), {
      cache_control: unread,
      document_url: leftoversOf(holder, imageUrl),
    }),
  })
}

export function readRefusalPart(part: JsonObject, path: string): RefusalBlock {
  return {
    type: 'refusal',
    text: requireString(part, 'refusal', path),
    ...toExtras(leftoversOf(part, refusalPart)),
  }
}

/** Reads Mistral's reasoning: a list of text parts, or plain text. */
export function readThinkingPart(part: JsonObject, path: string): ThinkingBlock {
  const text = thinkingTextOf(part['thinking'])
  if (text === undefined) throw invalidField(joinPath(path, 'thinking'), 'a string or an array of text parts')
  return { type: 'thinking', text, ...toExtras(leftoversOf(part, thinkingPart)) }
}

export function thinkingTextOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value
  if (!isJsonArray(value)) return undefined
  return value
    .map((item) => (isJsonObject(item) && typeof item['text'] === 'string' ? item['text'] : ''))
    .join('')
}
