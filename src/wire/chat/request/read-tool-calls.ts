import type { ToolCallBlock } from '../../../canonical/content.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { knownFields, leftoversOf } from '../../fields/field-table.ts'
import {
  asObject,
  invalidField,
  joinPath,
  readArray,
  readString,
  requireObject,
  requireString,
} from '../../fields/read-field.ts'
import { requireArguments } from '../../tools/require-arguments.ts'
import { readCacheField } from '../values/cache-control.ts'
import { toExtras } from '../values/extras.ts'
import {
  customCallFields,
  customToolCallFields,
  functionCallFields,
  functionToolCallFields,
  vendorToolCallFields,
} from './request-fields.ts'

const functionToolCall = knownFields(functionToolCallFields, vendorToolCallFields)
const customToolCall = knownFields(customToolCallFields, vendorToolCallFields)
const functionCall = knownFields(functionCallFields)
const customCall = knownFields(customCallFields)

/** Reads the tool calls of an assistant's message. `path` is the message's JSON path. */
export function readToolCalls(message: JsonObject, path: string): readonly ToolCallBlock[] {
  const innerPath = joinPath(path, 'tool_calls')
  const calls = readArray(message, 'tool_calls', path) ?? []
  return calls.map((item, index) =>
    readToolCall(asObject(item, `${innerPath}[${index}]`), `${innerPath}[${index}]`),
  )
}

function readToolCall(call: JsonObject, path: string): ToolCallBlock {
  const type = readString(call, 'type', path) ?? 'function'
  if (type !== 'function' && type !== 'custom') {
    throw invalidField(joinPath(path, 'type'), '"function" or "custom"')
  }
  const id = requireString(call, 'id', path)
  const { mark, unread } = readCacheField(call)
  const innerPath = joinPath(path, type)
  const holder = requireObject(call, type, path)
  const isFunction = type === 'function'
  return {
    type: 'tool-call',
    id,
    name: requireString(holder, 'name', innerPath),
    kind: type,
    input: isFunction ? requireArguments(holder, innerPath) : requireString(holder, 'input', innerPath),
    ...mark,
    ...toExtras(leftoversOf(call, isFunction ? functionToolCall : customToolCall), {
      cache_control: unread,
      [type]: leftoversOf(holder, isFunction ? functionCall : customCall),
    }),
  }
}

/** Reads the deprecated `function_call`, which has no ID. The caller of this function makes up `id`. */
export function readFunctionCall(message: JsonObject, path: string, id: string): ToolCallBlock | undefined {
  const value = message['function_call'] ?? undefined
  if (value === undefined) return undefined
  const innerPath = joinPath(path, 'function_call')
  const call = asObject(value, innerPath)
  return {
    type: 'tool-call',
    id,
    name: requireString(call, 'name', innerPath),
    kind: 'function',
    input: requireArguments(call, innerPath),
    ...toExtras(undefined, { function: leftoversOf(call, functionCall) }),
  }
}
