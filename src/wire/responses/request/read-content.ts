import type {
  AudioBlock,
  DocumentBlock,
  ImageBlock,
  OpaqueBlock,
  RefusalBlock,
  TextBlock,
} from '../../../canonical/content.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { knownFields, leftoversOf } from '../../fields/field-table.ts'
import { readMediaUrl } from '../../fields/media-url.ts'
import { asObject, invalidField, joinPath, readString, requireString } from '../../fields/read-field.ts'
import { readFileData } from '../../fields/read-file-data.ts'
import { toExtras } from '../values/extras.ts'
import { readCitations } from '../values/read-citation.ts'
import {
  inputAudioFields,
  inputFileFields,
  inputImageFields,
  inputTextFields,
  outputTextFields,
  refusalFields,
} from './request-fields.ts'

const inputText = knownFields(inputTextFields)

const inputImage = knownFields(inputImageFields)

const inputFile = knownFields(inputFileFields)

const inputAudio = knownFields(inputAudioFields)

const outputText = knownFields(outputTextFields)

const refusal = knownFields(refusalFields)

type InputBlock = TextBlock | ImageBlock | DocumentBlock | OpaqueBlock

/** Reads content: a string, a list of parts, or null. The empty string becomes no block. */
export function readContent<Part>(
  value: JsonValue | undefined,
  path: string,
  readPart: (part: JsonObject, path: string) => Part,
): readonly (Part | TextBlock)[] {
  if (value === undefined || value === null || value === '') return []
  if (typeof value === 'string') return [{ type: 'text', text: value }]
  if (!isJsonArray(value)) throw invalidField(path, 'a string or an array of parts')
  return value.map((item, index) => readPart(asObject(item, `${path}[${index}]`), `${path}[${index}]`))
}

export function readSystemPart(part: JsonObject, path: string): TextBlock | OpaqueBlock {
  const type = requireString(part, 'type', path)
  return isText(type) ? readTextPart(part, path) : opaque(part)
}

export function readUserPart(part: JsonObject, path: string): InputBlock | AudioBlock {
  return part['type'] === 'input_audio' ? readAudioPart(part, path) : readResultPart(part, path)
}

/** Reads a part of a tool's result. */
export function readResultPart(part: JsonObject, path: string): InputBlock {
  const type = requireString(part, 'type', path)
  if (isText(type)) return readTextPart(part, path)
  if (type === 'input_image') return readImagePart(part, path)
  return type === 'input_file' ? readFilePart(part, path) : opaque(part)
}

export function readAssistantPart(part: JsonObject, path: string): TextBlock | RefusalBlock | OpaqueBlock {
  const type = requireString(part, 'type', path)
  if (isText(type)) return readTextPart(part, path)
  if (type !== 'refusal') return opaque(part)
  return { type, text: requireString(part, 'refusal', path), ...toExtras(leftoversOf(part, refusal)) }
}

function isText(type: string): boolean {
  return type === 'input_text' || type === 'output_text' || type === 'text'
}

function opaque(value: JsonObject): OpaqueBlock {
  return { type: 'opaque', format: 'responses', value }
}

function readTextPart(part: JsonObject, path: string): TextBlock {
  const citations = readCitations(part['annotations'])
  const known = part['type'] === 'output_text' ? outputText : inputText
  return {
    type: 'text',
    text: requireString(part, 'text', path),
    ...(citations.length === 0 ? {} : { citations }),
    ...toExtras(leftoversOf(part, known)),
  }
}

/** `image_url` is the URL itself. Some clients send the chat format's object instead. */
function readImagePart(part: JsonObject, path: string): ImageBlock | OpaqueBlock {
  const holder = part['image_url']
  const url = isJsonObject(holder) ? holder['url'] : readString(part, 'image_url', path)
  const fileId = readString(part, 'file_id', path)
  if (typeof url === 'string' && fileId !== undefined) return opaque(part)
  if (typeof url !== 'string' && fileId === undefined) {
    throw invalidField(path, 'an object with "image_url" or "file_id"')
  }
  const source = typeof url === 'string' ? readMediaUrl(url) : { type: 'file' as const, fileId: fileId ?? '' }
  const detail = readString(part, 'detail', path)
  return omitUndefined({
    type: 'image' as const,
    source,
    // The format requires the field; `auto` means the same as leaving it out.
    detail: detail === 'auto' ? undefined : detail,
    ...toExtras(leftoversOf(part, inputImage)),
  })
}

function readFilePart(part: JsonObject, path: string): DocumentBlock | OpaqueBlock {
  const data = readString(part, 'file_data', path)
  const fileId = readString(part, 'file_id', path)
  const url = readString(part, 'file_url', path)
  const given = [data, fileId, url].filter((value) => value !== undefined)
  if (given.length === 0) {
    throw invalidField(path, 'an object with "file_data", "file_id" or "file_url"')
  }
  const title = readString(part, 'filename', path)
  const source = data === undefined ? undefined : readFileData(data, title)
  if (given.length > 1 || source?.type === 'url') return opaque(part)
  return omitUndefined({
    type: 'document' as const,
    source: source ?? readAddress(fileId, url),
    title,
    ...toExtras(leftoversOf(part, inputFile)),
  })
}

function readAddress(fileId: string | undefined, url: string | undefined) {
  if (fileId !== undefined) return { type: 'file' as const, fileId }
  return { type: 'url' as const, url: url ?? '' }
}

function readAudioPart(part: JsonObject, path: string): AudioBlock {
  const innerPath = joinPath(path, 'input_audio')
  const audio = asObject(part['input_audio'], innerPath)
  return {
    type: 'audio',
    data: requireString(audio, 'data', innerPath),
    encoding: requireString(audio, 'format', innerPath),
    ...toExtras(leftoversOf(part, inputAudio)),
  }
}
