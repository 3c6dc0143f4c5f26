import { unpackReasoning } from '../../../canonical/carried-reasoning.ts'
import type {
  AssistantBlock,
  RedactedThinkingBlock,
  ThinkingBlock,
  ToolCallBlock,
  ToolResultBlock,
} from '../../../canonical/content.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { knownFields, leftoversOf } from '../../fields/field-table.ts'
import { joinPath, readString, requireString } from '../../fields/read-field.ts'
import { requireArguments } from '../../tools/require-arguments.ts'
import { toExtras } from '../values/extras.ts'
import { joinName } from './namespaced-name.ts'
import { readAssistantPart, readContent, readResultPart } from './read-content.ts'
import {
  customCallFields,
  customOutputFields,
  functionCallFields,
  functionOutputFields,
  imageCallFields,
  outputMessageFields,
  reasoningItemFields,
  vendorCallFields,
} from './request-fields.ts'

const functionCall = knownFields(functionCallFields, vendorCallFields)
const customCall = knownFields(customCallFields, vendorCallFields)
const functionOutput = knownFields(functionOutputFields, vendorCallFields)
const customOutput = knownFields(customOutputFields, vendorCallFields)
const outputMessage = knownFields(outputMessageFields)
const reasoningItem = knownFields(reasoningItemFields)
const imageCall = knownFields(imageCallFields)

/** Reads an assistant's item, in a conversation or an answer, into blocks. Unknown kinds stay unchanged. */
export function readAssistantItem(item: JsonObject, path: string): readonly AssistantBlock[] {
  switch (item['type'] ?? 'message') {
    case 'message':
      return readAssistantMessage(item, path)
    case 'reasoning':
      return [readReasoning(item, path)]
    case 'function_call':
      return [readFunctionCall(item, path)]
    case 'custom_tool_call':
      return [readCustomCall(item, path)]
    case 'image_generation_call':
      return [readImageCall(item)]
    default:
      return [{ type: 'opaque', format: 'responses', value: item }]
  }
}

/** The message's own fields are copied to each of its blocks, since a turn may contain several items. */
function readAssistantMessage(message: JsonObject, path: string): readonly AssistantBlock[] {
  const blocks = readContent(message['content'], joinPath(path, 'content'), readAssistantPart)
  const own = leftoversOf(message, outputMessage)
  if (own === undefined) return blocks
  return blocks.map((block) => {
    if (block.type === 'opaque') return block
    return { ...block, ...toExtras(block.extras?.fields, { message: own }) }
  })
}

/**
 * Joins the summary and the plain text of reasoning into one text, with a blank line between its parts. A signature of
 * another format's provider is unpacked, so that it can be sent back to the provider that made it.
 */
function readReasoning(item: JsonObject, path: string): ThinkingBlock | RedactedThinkingBlock {
  const text = [...textsOf(item['summary']), ...textsOf(item['content'])].join('\n\n')
  const signature = readString(item, 'encrypted_content', path)
  const carried = signature === undefined ? undefined : unpackReasoning(signature, text)
  if (carried !== undefined) return carried
  const id = readString(item, 'id', path) ?? ''
  return {
    type: 'thinking',
    text,
    ...(signature === undefined || signature === '' ? {} : { signature }),
    ...toExtras(leftoversOf(item, reasoningItem), { id }),
  }
}

function textsOf(parts: JsonValue | undefined): readonly string[] {
  if (!isJsonArray(parts)) return []
  return parts.map((part) => (isJsonObject(part) && typeof part['text'] === 'string' ? part['text'] : ''))
}

function readFunctionCall(item: JsonObject, path: string): ToolCallBlock {
  return {
    type: 'tool-call',
    id: requireString(item, 'call_id', path),
    name: requireString(item, 'name', path),
    kind: 'function',
    input: requireArguments(item, path),
    ...toExtras(leftoversOf(item, functionCall)),
  }
}

function readCustomCall(item: JsonObject, path: string): ToolCallBlock {
  return {
    type: 'tool-call',
    id: requireString(item, 'call_id', path),
    name: requireString(item, 'name', path),
    kind: 'custom',
    input: requireString(item, 'input', path),
    ...toExtras(leftoversOf(item, customCall)),
  }
}

/** Reads an image that the provider generated. An item without the image's bytes stays unchanged. */
function readImageCall(item: JsonObject): AssistantBlock {
  const { result, output_format: format } = item
  if (typeof result !== 'string' || result === '') {
    return { type: 'opaque', format: 'responses', value: item }
  }
  const mediaType = `image/${typeof format === 'string' ? format : 'png'}`
  return {
    type: 'image',
    source: { type: 'base64', mediaType, data: result },
    ...toExtras(leftoversOf(item, imageCall)),
  }
}

/** Reads a tool's result; undefined where the item is of another kind. */
export function readResultItem(item: JsonObject, path: string): ToolResultBlock | undefined {
  const { type } = item
  if (type !== 'function_call_output' && type !== 'custom_tool_call_output') return undefined
  const known = type === 'function_call_output' ? functionOutput : customOutput
  return omitUndefined({
    type: 'tool-result' as const,
    callId: readCallId(item, path),
    content: readContent(item['output'], joinPath(path, 'output'), readResultPart),
    isError: false,
    ...toExtras(leftoversOf(item, known)),
  })
}

/**
 * Reads the ID of the call that a result answers. The result of a tool that nothing called has only the tool's name,
 * which replaces the ID. Codex sends such results (https://github.com/openai/codex/issues/42088, seen 2026-11-30).
 */
function readCallId(item: JsonObject, path: string): string {
  const isNamed = item['type'] === 'function_call_output' && (item['call_id'] ?? null) === null
  const name = isNamed ? readString(item, 'name', path) : undefined
  if (name === undefined) return requireString(item, 'call_id', path)
  const namespace = readString(item, 'namespace', path)
  return namespace === undefined ? name : joinName({ namespace, name })
}
