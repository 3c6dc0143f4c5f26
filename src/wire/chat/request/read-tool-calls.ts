import type { ToolCallBlock } from '../../../canonical/content.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { knownFields, leftoversOf } from '../../fields/field-table.ts'
import {
  asObject,
  invalidField,
  pathOf,
  readArray,
  readString,
  requireObject,
  requireString,
} from '../../fields/read-field.ts'
import { requireArguments } from '../../fields/require-arguments.ts'
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

/** The tool calls of an assistant's message. `place` is the message's. */
export function readToolCalls(message: JsonObject, place: string): readonly ToolCallBlock[] {
  const path = pathOf(place, 'tool_calls')
  const calls = readArray(message, 'tool_calls', place) ?? []
  return calls.map((item, index) => readToolCall(asObject(item, `${path}[${index}]`), `${path}[${index}]`))
}

function readToolCall(call: JsonObject, place: string): ToolCallBlock {
  const type = readString(call, 'type', place) ?? 'function'
  if (type !== 'function' && type !== 'custom') {
    throw invalidField(pathOf(place, 'type'), '"function" or "custom"')
  }
  const id = requireString(call, 'id', place)
  const { mark, unread } = readCacheField(call)
  const path = pathOf(place, type)
  const holder = requireObject(call, type, place)
  const isFunction = type === 'function'
  return {
    type: 'tool-call',
    id,
    name: requireString(holder, 'name', path),
    kind: type,
    input: isFunction ? requireArguments(holder, path) : requireString(holder, 'input', path),
    ...mark,
    ...toExtras(leftoversOf(call, isFunction ? functionToolCall : customToolCall), {
      cache_control: unread,
      [type]: leftoversOf(holder, isFunction ? functionCall : customCall),
    }),
  }
}

/** The call of the format's first years, which had no id; `id` is made up by the caller of this function. */
export function readFunctionCall(message: JsonObject, place: string, id: string): ToolCallBlock | undefined {
  const value = message['function_call'] ?? undefined
  if (value === undefined) return undefined
  const path = pathOf(place, 'function_call')
  const call = asObject(value, path)
  return {
    type: 'tool-call',
    id,
    name: requireString(call, 'name', path),
    kind: 'function',
    input: requireArguments(call, path),
    ...toExtras(undefined, { function: leftoversOf(call, functionCall) }),
  }
}
