import type { Tool, ToolChoice } from '../../../canonical/request.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { isJsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { knownFields, leftoversOf } from '../../fields/field-table.ts'
import {
  asObject,
  invalidField,
  joinPath,
  readArray,
  readBoolean,
  readObject,
  readString,
  requireObject,
  requireString,
} from '../../fields/read-field.ts'
import { readCacheField } from '../values/cache-control.ts'
import { toExtras } from '../values/extras.ts'
import {
  customDefinitionFields,
  customToolFields,
  functionDefinitionFields,
  functionToolFields,
  legacyFunctionFields,
  vendorToolFields,
} from './request-fields.ts'

const functionTool = knownFields(functionToolFields, vendorToolFields)
const functionDefinition = knownFields(functionDefinitionFields)
const customTool = knownFields(customToolFields)
const customDefinition = knownFields(customDefinitionFields)
const legacyFunction = knownFields(legacyFunctionFields)

/** Reads `tools`, and after them the deprecated `functions`. */
export function readTools(body: JsonObject): readonly Tool[] | undefined {
  const tools = readArray(body, 'tools', '')?.map((item, index) =>
    readTool(asObject(item, `tools[${index}]`), `tools[${index}]`),
  )
  const functions = readArray(body, 'functions', '')?.map((item, index) =>
    readLegacyFunction(asObject(item, `functions[${index}]`), `functions[${index}]`),
  )
  const all = [...(tools ?? []), ...(functions ?? [])]
  return all.length === 0 ? undefined : all
}

/** A tool without a type is a function, as in Mistral's form. A tool of an unknown type is a tool of the provider. */
function readTool(tool: JsonObject, path: string): Tool {
  const type = readString(tool, 'type', path) ?? 'function'
  if (type === 'function') return readFunctionTool(tool, path)
  if (type === 'custom') return readCustomTool(tool, path)
  return { type: 'hosted', format: 'chat', value: tool }
}

function readFunctionTool(tool: JsonObject, path: string): Tool {
  const innerPath = joinPath(path, 'function')
  const holder = requireObject(tool, 'function', path)
  const { mark, unread } = readCacheField(tool)
  return omitUndefined({
    ...readDefinition(holder, innerPath),
    strict: readBoolean(holder, 'strict', innerPath),
    ...mark,
    ...toExtras(leftoversOf(tool, functionTool), {
      cache_control: unread,
      function: leftoversOf(holder, functionDefinition),
    }),
  })
}

function readDefinition(holder: JsonObject, path: string) {
  return {
    type: 'function' as const,
    name: requireString(holder, 'name', path),
    description: readString(holder, 'description', path),
    parameters: readObject(holder, 'parameters', path),
  }
}

function readCustomTool(tool: JsonObject, path: string): Tool {
  const innerPath = joinPath(path, 'custom')
  const holder = requireObject(tool, 'custom', path)
  return omitUndefined({
    type: 'custom' as const,
    name: requireString(holder, 'name', innerPath),
    description: readString(holder, 'description', innerPath),
    grammar: readObject(holder, 'format', innerPath),
    ...toExtras(leftoversOf(tool, customTool), { custom: leftoversOf(holder, customDefinition) }),
  })
}

function readLegacyFunction(definition: JsonObject, path: string): Tool {
  return omitUndefined({
    ...readDefinition(definition, path),
    ...toExtras(undefined, { function: leftoversOf(definition, legacyFunction) }),
  })
}

export interface ToolChoiceReading {
  readonly choice?: ToolChoice
  /** A tool choice of a kind that the canonical form does not have. */
  readonly unread?: JsonValue
}

/** Reads `tool_choice`, else the deprecated `function_call`. `any` is Mistral's name for `required`. */
export function readToolChoice(body: JsonObject): ToolChoiceReading {
  const name = (body['tool_choice'] ?? null) === null ? 'function_call' : 'tool_choice'
  const value = body[name] ?? undefined
  if (value === undefined) return {}
  if (value === 'auto' || value === 'none' || value === 'required') return { choice: { type: value } }
  if (value === 'any') return { choice: { type: 'required' } }
  if (!isJsonObject(value)) {
    throw invalidField(name, '"none", "auto", "required" or an object that names a tool')
  }
  if (name === 'function_call') {
    return { choice: { type: 'tool', name: requireString(value, 'name', name), kind: 'function' } }
  }
  return readChoiceObject(value)
}

function readChoiceObject(choice: JsonObject): ToolChoiceReading {
  const type = readString(choice, 'type', 'tool_choice') ?? 'function'
  if (type === 'function' || type === 'custom') {
    const holder = requireObject(choice, type, 'tool_choice')
    return {
      choice: { type: 'tool', name: requireString(holder, 'name', `tool_choice.${type}`), kind: type },
    }
  }
  if (type !== 'allowed_tools') return { unread: choice }
  const innerPath = 'tool_choice.allowed_tools'
  const holder = requireObject(choice, 'allowed_tools', 'tool_choice')
  const mode = requireString(holder, 'mode', innerPath)
  if (mode !== 'auto' && mode !== 'required') throw invalidField(`${innerPath}.mode`, '"auto" or "required"')
  return { choice: { type: 'allowed', mode, tools: readArray(holder, 'tools', innerPath) ?? [] } }
}
