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
import {
  asObject,
  invalidField,
  missingField,
  pathOf,
  readString,
  requireString,
} from '../../fields/read-field.ts'
import { readMediaUrl } from '../../fields/read-media-url.ts'
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

/** One part of a content list. `place` is where it stands, such as `messages[2].content[0]`. */
export function readTextPart(part: JsonObject, place: string): TextBlock {
  const { mark, unread } = readCacheField(part)
  return {
    type: 'text',
    text: requireString(part, 'text', place),
    ...mark,
    ...toExtras(leftoversOf(part, textPart), { cache_control: unread }),
  }
}

/** `image_url` may be the address itself, as Mistral takes it. */
export function readImagePart(part: JsonObject, place: string): ImageBlock {
  const { mark, unread } = readCacheField(part)
  const { url, holder } = readUrlField(part, 'image_url', place)
  const detail = readString(holder, 'detail', pathOf(place, 'image_url'))
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
  place: string,
): { readonly url: string; readonly holder: JsonObject } {
  const value = part[name] ?? undefined
  if (value === undefined) throw missingField(pathOf(place, name))
  if (typeof value === 'string') return { url: value, holder: {} }
  const holder = asObject(value, pathOf(place, name))
  return { url: requireString(holder, 'url', pathOf(place, name)), holder }
}

export function readAudioPart(part: JsonObject, place: string): AudioBlock {
  const path = pathOf(place, 'input_audio')
  const audio = asObject(part['input_audio'], path)
  return {
    type: 'audio',
    data: requireString(audio, 'data', path),
    encoding: requireString(audio, 'format', path),
    ...toExtras(leftoversOf(part, audioPart), { input_audio: leftoversOf(audio, inputAudio) }),
  }
}

export function readVideoPart(part: JsonObject, place: string): VideoBlock {
  const { url, holder } = readUrlField(part, 'video_url', place)
  const inner = leftoversOf(holder, imageUrl)
  return {
    type: 'video',
    source: readMediaUrl(url),
    ...toExtras(leftoversOf(part, videoPart), { video_url: inner }),
  }
}

/** A file by its bytes, by its id, or by its address (which OpenRouter takes as `file_data`). */
export function readFilePart(part: JsonObject, place: string): DocumentBlock | OpaqueBlock {
  const path = pathOf(place, 'file')
  const holder = asObject(part['file'], path)
  const data = readString(holder, 'file_data', path)
  const fileId = readString(holder, 'file_id', path)
  if (data === undefined && fileId === undefined) {
    throw invalidField(path, 'an object with "file_data" or "file_id"')
  }
  const source = data === undefined ? undefined : readMediaUrl(data)
  const isAddress = source?.type === 'url' && /^https?:/.test(source.url)
  if (source?.type === 'url' && !isAddress) return { type: 'opaque', format: 'chat', value: part }
  if (data !== undefined && fileId !== undefined) return { type: 'opaque', format: 'chat', value: part }
  const { mark, unread } = readCacheField(part)
  return omitUndefined({
    type: 'document' as const,
    source: source ?? { type: 'file' as const, fileId: fileId ?? '' },
    title: readString(holder, 'filename', path),
    ...mark,
    ...toExtras(leftoversOf(part, filePart), { cache_control: unread, file: leftoversOf(holder, file) }),
  })
}

/** Mistral's documents, by address or as a `data:` URL. */
export function readDocumentPart(part: JsonObject, place: string): DocumentBlock {
  const { mark, unread } = readCacheField(part)
  const { url, holder } = readUrlField(part, 'document_url', place)
  return omitUndefined({
    type: 'document' as const,
    source: readMediaUrl(url),
    title: readString(part, 'document_name', place),
    ...mark,
    ...toExtras(leftoversOf(part, documentPart), {
      cache_control: unread,
      document_url: leftoversOf(holder, imageUrl),
    }),
  })
}

export function readRefusalPart(part: JsonObject, place: string): RefusalBlock {
  return {
    type: 'refusal',
    text: requireString(part, 'refusal', place),
    ...toExtras(leftoversOf(part, refusalPart)),
  }
}

/** Mistral's reasoning: a list of text parts, or plain text. */
export function readThinkingPart(part: JsonObject, place: string): ThinkingBlock {
  const text = thinkingTextOf(part['thinking'])
  if (text === undefined) throw invalidField(pathOf(place, 'thinking'), 'a string or an array of text parts')
  return { type: 'thinking', text, ...toExtras(leftoversOf(part, thinkingPart)) }
}

export function thinkingTextOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value
  if (!isJsonArray(value)) return undefined
  return value
    .map((item) => (isJsonObject(item) && typeof item['text'] === 'string' ? item['text'] : ''))
    .join('')
}
