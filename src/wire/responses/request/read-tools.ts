import type { Tool, ToolChoice } from '../../../canonical/request.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { knownFields, leftoversOf } from '../../fields/field-table.ts'
import {
  asObject,
  invalidField,
  readArray,
  readBoolean,
  readObject,
  readString,
  requireString,
} from '../../fields/read-field.ts'
import { toExtras } from '../values/extras.ts'
import { joinName } from './namespaced-name.ts'
import { customToolFields, functionToolFields } from './request-fields.ts'

const functionTool = knownFields(functionToolFields)
const customTool = knownFields(customToolFields)

export function readTools(body: JsonObject): readonly Tool[] | undefined {
  const tools = readArray(body, 'tools', '')?.flatMap((item, index) =>
    readOffered(asObject(item, `tools[${index}]`), `tools[${index}]`),
  )
  return tools === undefined || tools.length === 0 ? undefined : tools
}

/**
 * Replaces a namespace by its tools. Each tool's name is joined from the namespace's name and its own. The namespace's
 * description precedes the tool's own.
 */
function readOffered(tool: JsonObject, path: string): readonly Tool[] {
  if (tool['type'] !== 'namespace') return [readTool(tool, path)]
  const namespace = requireString(tool, 'name', path)
  const about = readString(tool, 'description', path) ?? ''
  const inner = readArray(tool, 'tools', path) ?? []
  return inner.map((item, index) => {
    const innerPath = `${path}.tools[${index}]`
    const read = readTool(asObject(item, innerPath), innerPath)
    if (read.type === 'hosted') return read
    const words = [about, read.description ?? ''].filter((part) => part !== '')
    const described = words.length === 0 ? {} : { description: words.join('\n\n') }
    return { ...read, ...described, name: joinName({ namespace, name: read.name }) }
  })
}

function readTool(tool: JsonObject, path: string): Tool {
  const type = requireString(tool, 'type', path)
  if (type === 'function') return readFunctionTool(tool, path)
  if (type === 'custom') return readCustomTool(tool, path)
  return { type: 'hosted', format: 'responses', value: tool }
}

function readFunctionTool(tool: JsonObject, path: string): Tool {
  return omitUndefined({
    type: 'function' as const,
    name: requireString(tool, 'name', path),
    description: readString(tool, 'description', path),
    parameters: readObject(tool, 'parameters', path),
    strict: readBoolean(tool, 'strict', path),
    ...toExtras(leftoversOf(tool, functionTool)),
  })
}

function readCustomTool(tool: JsonObject, path: string): Tool {
  const format = readObject(tool, 'format', path)
  return omitUndefined({
    type: 'custom' as const,
    name: requireString(tool, 'name', path),
    description: readString(tool, 'description', path),
    grammar: format === undefined ? undefined : nestGrammar(format),
    ...toExtras(leftoversOf(tool, customTool)),
  })
}

/** The canonical form is the chat format's, where a grammar's fields are one level deeper. */
function nestGrammar(format: JsonObject): JsonObject {
  const { type, ...grammar } = format
  return type === 'grammar' ? { type, grammar } : format
}

export interface ToolChoiceReading {
  readonly choice?: ToolChoice
  /** A tool choice of a kind that the canonical form does not have, such as a tool that the provider runs. */
  readonly unread?: JsonValue
}

export function readToolChoice(body: JsonObject): ToolChoiceReading {
  const value = body['tool_choice'] ?? undefined
  if (value === undefined) return {}
  if (value === 'auto' || value === 'none' || value === 'required') return { choice: { type: value } }
  if (!isJsonObject(value)) {
    throw invalidField('tool_choice', '"none", "auto", "required" or an object that names a tool')
  }
  const type = requireString(value, 'type', 'tool_choice')
  if (type === 'function' || type === 'custom') {
    return { choice: { type: 'tool', name: requireString(value, 'name', 'tool_choice'), kind: type } }
  }
  if (type !== 'allowed_tools') return { unread: value }
  const mode = requireString(value, 'mode', 'tool_choice')
  if (mode !== 'auto' && mode !== 'required') throw invalidField('tool_choice.mode', '"auto" or "required"')
  const tools = readArray(value, 'tools', 'tool_choice') ?? []
  return { choice: { type: 'allowed', mode, tools: tools.map(nestName) } }
}

/** The canonical form is the chat format's, where a tool's name is one level deeper. */
function nestName(tool: JsonValue): JsonValue {
  if (!isJsonObject(tool)) return tool
  const { type, name, ...more } = tool
  const isNamed = (type === 'function' || type === 'custom') && typeof name === 'string'
  return isNamed ? { ...more, type, [type]: { name } } : tool
}
