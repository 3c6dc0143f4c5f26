import type { Tool, ToolChoice } from '../../../canonical/request.ts'
import { isJsonObject, type JsonObject } from '../../../kit/json/json.ts'
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
import { toExtras } from '../values/extras.ts'
import { readMark } from './read-content.ts'
import { toolSpecFields } from './request-fields.ts'

const toolSpec = knownFields(toolSpecFields)
const PATH = 'toolConfig'

/** Reads the tools. A cache point becomes a mark on the tool before it. */
export function readTools(body: JsonObject): readonly Tool[] | undefined {
  const config = readObject(body, PATH, '')
  const list = config === undefined ? [] : (readArray(config, 'tools', PATH) ?? [])
  const tools: Tool[] = []
  for (const [index, item] of list.entries()) {
    const path = `${PATH}.tools[${index}]`
    const entry = asObject(item, path)
    const mark = readMark(entry['cachePoint'])
    const last = tools.at(-1)
    if (mark === undefined) tools.push(readTool(entry, path))
    else if (last?.type === 'function') tools[tools.length - 1] = { ...last, cache: mark }
    else tools.push({ type: 'hosted', format: 'converse', value: entry })
  }
  return tools.length === 0 ? undefined : tools
}

/** Reads a function, or a tool that the provider runs. */
function readTool(entry: JsonObject, path: string): Tool {
  if (entry['toolSpec'] === undefined) return { type: 'hosted', format: 'converse', value: entry }
  const inner = joinPath(path, 'toolSpec')
  const spec = requireObject(entry, 'toolSpec', path)
  const schema = requireObject(spec, 'inputSchema', inner)
  return omitUndefined({
    type: 'function' as const,
    name: requireString(spec, 'name', inner),
    description: readString(spec, 'description', inner),
    parameters: readObject(schema, 'json', joinPath(inner, 'inputSchema')),
    strict: readBoolean(spec, 'strict', inner),
    ...toExtras(leftoversOf(spec, toolSpec)),
  })
}

export function readToolChoice(body: JsonObject): ToolChoice | undefined {
  const config = readObject(body, PATH, '')
  const choice = config === undefined ? undefined : readObject(config, 'toolChoice', PATH)
  if (choice === undefined) return undefined
  const { auto, any, tool } = choice
  if (isJsonObject(tool))
    return { type: 'tool', name: requireString(tool, 'name', `${PATH}.toolChoice.tool`), kind: 'function' }
  if (isJsonObject(any)) return { type: 'required' }
  if (isJsonObject(auto)) return { type: 'auto' }
  throw invalidField(`${PATH}.toolChoice`, 'one of "auto", "any" and "tool", each an object')
}
