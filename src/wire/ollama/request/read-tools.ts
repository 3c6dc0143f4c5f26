import type { ToolCallBlock } from '../../../canonical/content.ts'
import type { Tool } from '../../../canonical/request.ts'
import { isDeepJson } from '../../../kit/json/is-deep-json.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { knownFields, leftoversOf } from '../../fields/field-table.ts'
import {
  asObject,
  invalidField,
  joinPath,
  readArray,
  readObject,
  readString,
  requireObject,
  requireString,
} from '../../fields/read-field.ts'
import { toExtras } from '../values/extras.ts'
import { calledFunctionFields, callFields, functionFields, toolFields } from './request-fields.ts'

const toolObject = knownFields(toolFields)
const definition = knownFields(functionFields)
const callObject = knownFields(callFields)
const calledFunction = knownFields(calledFunctionFields)

/** Reads the functions that the model may call; undefined for an empty list, which many clients send. */
export function readTools(body: JsonObject): readonly Tool[] | undefined {
  const tools = (readArray(body, 'tools', '') ?? []).map((item, index) =>
    readTool(asObject(item, `tools[${index}]`), `tools[${index}]`),
  )
  return tools.length === 0 ? undefined : tools
}

function readTool(tool: JsonObject, path: string): Tool {
  const type = readString(tool, 'type', path) ?? 'function'
  if (type !== 'function') throw invalidField(joinPath(path, 'type'), '"function"')
  const holder = requireObject(tool, 'function', path)
  const inner = joinPath(path, 'function')
  return omitUndefined({
    type: 'function' as const,
    name: requireString(holder, 'name', inner),
    description: readString(holder, 'description', inner),
    parameters: readObject(holder, 'parameters', inner),
    ...toExtras(leftoversOf(tool, toolObject), { function: leftoversOf(holder, definition) }),
  })
}

/** Reads a call of an earlier turn. `nextId` creates an ID for a call without one, since most clients leave IDs out. */
export function readToolCall(call: JsonObject, path: string, nextId: () => string): ToolCallBlock {
  const holder = requireObject(call, 'function', path)
  const inner = joinPath(path, 'function')
  const id = readString(call, 'id', path) ?? ''
  return {
    type: 'tool-call',
    id: id === '' ? nextId() : id,
    name: requireString(holder, 'name', inner),
    kind: 'function',
    input: readArguments(holder, inner),
    ...toExtras(leftoversOf(call, callObject), { function: leftoversOf(holder, calledFunction) }),
  }
}

/** Reads the arguments, which are an object. Clients of OpenAI's format send a string with the object's JSON. */
function readArguments(holder: JsonObject, path: string): string {
  const value = holder['arguments'] ?? {}
  const text =
    typeof value === 'string' ? value : JSON.stringify(asObject(value, joinPath(path, 'arguments')))
  if (!isDeepJson(text)) return text
  throw invalidField(joinPath(path, 'arguments'), 'an object that is not nested so deep')
}
