import type {
  AudioBlock,
  Citation,
  DocumentBlock,
  ImageBlock,
  OpaqueBlock,
  RefusalBlock,
  TextBlock,
} from '../../../canonical/content.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { knownFields, leftoversOf } from '../../fields/field-table.ts'
import { asObject, invalidField, pathOf, readString, requireString } from '../../fields/read-field.ts'
import { readMediaUrl } from '../../fields/read-media-url.ts'
import { toExtras } from '../values/extras.ts'
import {
  inputAudioFields,
  inputFileFields,
  inputImageFields,
  inputTextFields,
  outputTextFields,
  refusalFields,
  urlCitationFields,
} from './request-fields.ts'

const inputText = knownFields(inputTextFields)
const inputImage = knownFields(inputImageFields)
const inputFile = knownFields(inputFileFields)
const inputAudio = knownFields(inputAudioFields)
const outputText = knownFields(outputTextFields)
const refusal = knownFields(refusalFields)
const urlCitation = knownFields(urlCitationFields)

type InputBlock = TextBlock | ImageBlock | DocumentBlock | OpaqueBlock

/** Content as a string, a list of parts, or null. The empty string is no block at all. */
export function readContent<Part>(
  value: JsonValue | undefined,
  place: string,
  readPart: (part: JsonObject, place: string) => Part,
): readonly (Part | TextBlock)[] {
  if (value === undefined || value === null || value === '') return []
  if (typeof value === 'string') return [{ type: 'text', text: value }]
  if (!isJsonArray(value)) throw invalidField(place, 'a string or an array of parts')
  return value.map((item, index) => readPart(asObject(item, `${place}[${index}]`), `${place}[${index}]`))
}

export function readSystemPart(part: JsonObject, place: string): TextBlock | OpaqueBlock {
  const type = requireString(part, 'type', place)
  return isText(type) ? readTextPart(part, place) : opaque(part)
}

export function readUserPart(part: JsonObject, place: string): InputBlock | AudioBlock {
  return part['type'] === 'input_audio' ? readAudioPart(part, place) : readResultPart(part, place)
}

/** A part of what a tool gave. */
export function readResultPart(part: JsonObject, place: string): InputBlock {
  const type = requireString(part, 'type', place)
  if (isText(type)) return readTextPart(part, place)
  if (type === 'input_image') return readImagePart(part, place)
  return type === 'input_file' ? readFilePart(part, place) : opaque(part)
}

export function readAssistantPart(part: JsonObject, place: string): TextBlock | RefusalBlock | OpaqueBlock {
  const type = requireString(part, 'type', place)
  if (isText(type)) return readTextPart(part, place)
  if (type !== 'refusal') return opaque(part)
  return { type, text: requireString(part, 'refusal', place), ...toExtras(leftoversOf(part, refusal)) }
}

function isText(type: string): boolean {
  return type === 'input_text' || type === 'output_text' || type === 'text'
}

function opaque(value: JsonObject): OpaqueBlock {
  return { type: 'opaque', format: 'responses', value }
}

function readTextPart(part: JsonObject, place: string): TextBlock {
  const citations = readCitations(part['annotations'])
  const known = part['type'] === 'output_text' ? outputText : inputText
  return {
    type: 'text',
    text: requireString(part, 'text', place),
    ...(citations.length === 0 ? {} : { citations }),
    ...toExtras(leftoversOf(part, known)),
  }
}

/** The sources that a text names; those without an address travel as they came. */
export function readCitations(value: JsonValue | undefined): readonly Citation[] {
  return isJsonArray(value) ? value.filter(isJsonObject).map(readCitation) : []
}

export function readCitation(annotation: JsonObject): Citation {
  const { type, url, title, start_index: start, end_index: end } = annotation
  if (type !== 'url_citation' || typeof url !== 'string') return { ...toExtras(annotation) }
  return omitUndefined({
    url,
    title: typeof title === 'string' ? title : undefined,
    startIndex: typeof start === 'number' ? start : undefined,
    endIndex: typeof end === 'number' ? end : undefined,
    ...toExtras(leftoversOf(annotation, urlCitation)),
  })
}

/** `image_url` is the address itself; some clients send the chat format's object. */
function readImagePart(part: JsonObject, place: string): ImageBlock | OpaqueBlock {
  const holder = part['image_url']
  const url = isJsonObject(holder) ? holder['url'] : readString(part, 'image_url', place)
  const fileId = readString(part, 'file_id', place)
  if (typeof url === 'string' && fileId !== undefined) return opaque(part)
  if (typeof url !== 'string' && fileId === undefined) {
    throw invalidField(place, 'an object with "image_url" or "file_id"')
  }
  const source = typeof url === 'string' ? readMediaUrl(url) : { type: 'file' as const, fileId: fileId ?? '' }
  const detail = readString(part, 'detail', place)
  return omitUndefined({
    type: 'image' as const,
    source,
    // What the format demands and means nothing else than leaving it out.
    detail: detail === 'auto' ? undefined : detail,
    ...toExtras(leftoversOf(part, inputImage)),
  })
}

function readFilePart(part: JsonObject, place: string): DocumentBlock | OpaqueBlock {
  const data = readString(part, 'file_data', place)
  const fileId = readString(part, 'file_id', place)
  const url = readString(part, 'file_url', place)
  const given = [data, fileId, url].filter((value) => value !== undefined)
  if (given.length === 0) {
    throw invalidField(place, 'an object with "file_data", "file_id" or "file_url"')
  }
  const source = data === undefined ? undefined : readMediaUrl(data)
  if (given.length > 1 || source?.type === 'url') return opaque(part)
  return omitUndefined({
    type: 'document' as const,
    source: source ?? readAddress(fileId, url),
    title: readString(part, 'filename', place),
    ...toExtras(leftoversOf(part, inputFile)),
  })
}

function readAddress(fileId: string | undefined, url: string | undefined) {
  if (fileId !== undefined) return { type: 'file' as const, fileId }
  return { type: 'url' as const, url: url ?? '' }
}

function readAudioPart(part: JsonObject, place: string): AudioBlock {
  const path = pathOf(place, 'input_audio')
  const audio = asObject(part['input_audio'], path)
  return {
    type: 'audio',
    data: requireString(audio, 'data', path),
    encoding: requireString(audio, 'format', path),
    ...toExtras(leftoversOf(part, inputAudio)),
  }
}
