import type { AssistantBlock, OpaqueBlock, TextBlock, UserBlock } from '../../../canonical/content.ts'
import { isJsonObject, type JsonObject } from '../../../kit/json/json.ts'
import { knownFields, leftoversOf } from '../../fields/field-table.ts'
import { asObject, joinPath, readObject, readString, requireString } from '../../fields/read-field.ts'
import { toExtras } from '../values/extras.ts'
import { readThoughtSignature } from '../values/thought-signature.ts'
import { withOwnNames } from './own-names.ts'
import { readMedia } from './read-media.ts'
import { functionCallFields, partFields } from './request-fields.ts'

const known = knownFields(partFields)
const functionCall = knownFields(functionCallFields)

/** Parts that only this format has, such as code that the provider ran, and audio at a URL. They stay unchanged. */
const opaqueKinds = ['executableCode', 'codeExecutionResult', 'toolCall', 'toolResponse', 'fileData'] as const

function opaque(value: JsonObject): OpaqueBlock {
  const name = Object.keys(value).find((key) => key !== 'thoughtSignature' && key !== 'thought')
  return { type: 'opaque', format: 'gemini', value, ...(isKind(name) ? { name } : {}) }
}

function isKind(name: string | undefined): name is string {
  return opaqueKinds.some((kind) => kind === name)
}

/** Reads a part of a user's content as a block. */
export function readUserPart(part: JsonObject, path: string): UserBlock {
  const known = withOwnNames(part, partFields)
  return readTextPart(known, path) ?? readMedia(known, path) ?? opaque(part)
}

/** Reads a part of the system prompt as a block. */
export function readSystemPart(part: JsonObject, path: string): TextBlock | OpaqueBlock {
  return readTextPart(withOwnNames(part, partFields), path) ?? opaque(part)
}

function readTextPart(part: JsonObject, path: string): TextBlock | undefined {
  const text = readString(part, 'text', path)
  return text === undefined ? undefined : { type: 'text', text, ...toExtras(leftoversOf(part, known)) }
}

/**
 * Reads a part of a model's content, in a conversation or an answer, as blocks. A signature becomes a separate block
 * before the part's own block, except on a thought. `callId` gives the ID of a call that has none.
 */
export function readModelPart(
  part: JsonObject,
  path: string,
  callId: () => string,
): readonly AssistantBlock[] {
  const own = withOwnNames(part, partFields)
  const signature = readString(own, 'thoughtSignature', path) ?? ''
  if (own['thought'] === true) return [readThought(own, signature, path)]
  const block = readSpoken(own, path, callId)
  if (block === undefined)
    return signature !== '' && isBare(own) ? [readThoughtSignature(signature)] : [opaque(part)]
  if (signature === '') return [block]
  const isEmpty = block.type === 'text' && block.text === '' && block.extras === undefined
  if (isEmpty) return [readThoughtSignature(signature)]
  const call = block.type === 'tool-call' ? block.id : undefined
  return [readThoughtSignature(signature, '', call), block]
}

function isBare(part: JsonObject): boolean {
  return Object.keys(part).length === 1
}

function readThought(part: JsonObject, signature: string, path: string): AssistantBlock {
  const text = readString(part, 'text', path) ?? ''
  return signature === '' ? { type: 'thinking', text } : readThoughtSignature(signature, text)
}

function readSpoken(part: JsonObject, path: string, callId: () => string): AssistantBlock | undefined {
  if (part['functionCall'] !== undefined) return readCall(part, path, callId)
  const text = readTextPart(part, path)
  if (text !== undefined) return text
  const media = readMedia(part, path)
  return media?.type === 'image' || media?.type === 'audio' ? media : undefined
}

function readCall(part: JsonObject, path: string, callId: () => string): AssistantBlock {
  const innerPath = joinPath(path, 'functionCall')
  const call = withOwnNames(asObject(part['functionCall'], innerPath), functionCallFields)
  const id = readString(call, 'id', innerPath) ?? ''
  return {
    type: 'tool-call',
    id: id === '' ? callId() : id,
    name: requireString(call, 'name', innerPath),
    kind: 'function',
    input: JSON.stringify(readObject(call, 'args', innerPath) ?? {}),
    ...toExtras(leftoversOf(part, known), { functionCall: leftoversOf(call, functionCall) }),
  }
}

/** Whether a part holds the result of a tool. */
export function isResultPart(part: JsonObject): boolean {
  return isJsonObject(part['functionResponse']) || isJsonObject(part['function_response'])
}
