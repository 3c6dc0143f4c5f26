import type {
  AssistantBlock,
  OpaqueBlock,
  SystemBlock,
  TextBlock,
  ToolResultContent,
  UserBlock,
} from '../../../canonical/content.ts'
import { isJsonArray, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { asObject, invalidField, requireString } from '../../fields/read-field.ts'
import {
  readAudioPart,
  readDocumentPart,
  readFilePart,
  readImagePart,
  readRefusalPart,
  readTextPart,
  readThinkingPart,
  readVideoPart,
} from './read-part.ts'

export type PartReader<Part> = (part: JsonObject, path: string) => Part
export type PartReaders<Part> = Readonly<Record<string, PartReader<Part>>>

/** The kinds of part that each role may contain. Parts of other kinds stay unchanged, for channels of this format. */
export const systemParts: PartReaders<SystemBlock> = { text: readTextPart }
export const userParts: PartReaders<UserBlock> = {
  text: readTextPart,
  image_url: readImagePart,
  input_audio: readAudioPart,
  file: readFilePart,
  video_url: readVideoPart,
  document_url: readDocumentPart,
}

export const assistantParts: PartReaders<AssistantBlock> = {
  text: readTextPart,
  refusal: readRefusalPart,
  thinking: readThinkingPart,
  image_url: readImagePart,
}

export const toolParts: PartReaders<ToolResultContent> = {
  text: readTextPart,
  image_url: readImagePart,
  file: readFilePart,
  document_url: readDocumentPart,
}

/** Reads content: a string, a list of parts, or null. The empty string becomes no block. */
export function readContent<Part>(
  value: JsonValue | undefined,
  path: string,
  readers: PartReaders<Part>,
): readonly (Part | TextBlock | OpaqueBlock)[] {
  if (value === undefined || value === null || value === '') return []
  if (typeof value === 'string') return [{ type: 'text', text: value }]
  if (!isJsonArray(value)) throw invalidField(path, 'a string or an array of parts')
  return value.map((item, index) => {
    const innerPath = `${path}[${index}]`
    const part = asObject(item, innerPath)
    const type = requireString(part, 'type', innerPath)
    const reader = Object.hasOwn(readers, type) ? readers[type] : undefined
    return reader?.(part, innerPath) ?? { type: 'opaque', format: 'chat', value: part }
  })
}
