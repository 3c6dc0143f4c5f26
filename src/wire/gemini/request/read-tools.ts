import type { Tool, ToolChoice } from '../../../canonical/request.ts'
import { isJsonObject, type JsonObject } from '../../../kit/json/json.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { knownFields, leftoversOf } from '../../fields/field-table.ts'
import {
  asObject,
  invalidField,
  readArray,
  readObject,
  readString,
  requireString,
} from '../../fields/read-field.ts'
import { toExtras } from '../values/extras.ts'
import { withOwnNames } from './own-names.ts'
import { readSchema } from './read-schema.ts'
import {
  functionCallingConfigFields,
  functionDeclarationFields,
  toolConfigFields,
  toolFields,
} from './request-fields.ts'

const declaration = knownFields(functionDeclarationFields)
const toolConfig = knownFields(toolConfigFields)
const callingConfig = knownFields(functionCallingConfigFields)

/** Reads the tools of a request. One entry holds any number of functions, and tools that the provider runs. */
export function readTools(body: JsonObject): readonly Tool[] | undefined {
  const { tools: value } = body
  const list = isJsonObject(value) ? [value] : (readArray(body, 'tools', '') ?? [])
  const tools = list.flatMap((item, index) => readEntry(asObject(item, `tools[${index}]`), `tools[${index}]`))
  return tools.length === 0 ? undefined : tools
}

function readEntry(entry: JsonObject, path: string): readonly Tool[] {
  const { functionDeclarations, ...hosted } = withOwnNames(entry, toolFields)
  const innerPath = `${path}.functionDeclarations`
  const functions = readArray(
    { functionDeclarations: functionDeclarations ?? [] },
    'functionDeclarations',
    path,
  )
  const read = (functions ?? []).map((item, index) =>
    readFunction(asObject(item, `${innerPath}[${index}]`), `${innerPath}[${index}]`),
  )
  if (Object.keys(hosted).length === 0) return read
  return [...read, { type: 'hosted', format: 'gemini', value: hosted }]
}

function readFunction(source: JsonObject, path: string): Tool {
  const tool = withOwnNames(source, functionDeclarationFields)
  const own = readObject(tool, 'parameters', path)
  return omitUndefined({
    type: 'function' as const,
    name: requireString(tool, 'name', path),
    description: readString(tool, 'description', path),
    parameters:
      readObject(tool, 'parametersJsonSchema', path) ?? (own === undefined ? undefined : readSchema(own)),
    ...toExtras(leftoversOf(tool, declaration)),
  })
}

export interface ToolChoiceReading {
  readonly choice?: ToolChoice | undefined
  /** The fields that `choice` does not hold. */
  readonly unread?: JsonObject | undefined
}

export function readToolChoice(body: JsonObject): ToolChoiceReading {
  const source = readObject(body, 'toolConfig', '')
  if (source === undefined) return {}
  const holder = withOwnNames(source, toolConfigFields)
  const config = readObject(holder, 'functionCallingConfig', 'toolConfig')
  const read = config === undefined ? {} : readCallingConfig(config)
  const leftovers = toExtras(leftoversOf(holder, toolConfig), { functionCallingConfig: read.unread })
  return { choice: read.choice, unread: leftovers.extras?.fields }
}

const PATH = 'toolConfig.functionCallingConfig'

function readCallingConfig(source: JsonObject): ToolChoiceReading {
  const config = withOwnNames(source, functionCallingConfigFields)
  const names = (readArray(config, 'allowedFunctionNames', PATH) ?? []).filter(
    (name) => typeof name === 'string',
  )
  const mode = readMode(config)
  const more = leftoversOf(config, callingConfig)
  switch (mode) {
    case 'MODE_UNSPECIFIED':
    case 'AUTO':
      return { choice: names.length === 0 ? { type: 'auto' } : allow('auto', names), unread: more }
    case 'NONE':
      return { choice: { type: 'none' }, unread: more }
    case 'ANY':
      return { choice: readForced(names), unread: more }
    // The model may write text or call a tool, and calls must match their schema. Other formats call this `auto`.
    case 'VALIDATED':
      return names.length === 0
        ? { unread: { ...more, mode } }
        : { choice: allow('auto', names), unread: more }
    default:
      throw invalidField(`${PATH}.mode`, 'one of "AUTO", "ANY", "NONE" and "VALIDATED"')
  }
}

/** The modes by their enum numbers: proto JSON accepts the number in place of the name. */
const modesByNumber = ['MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED']

function readMode(config: JsonObject): string {
  const { mode } = config
  if (typeof mode === 'number') return modesByNumber[mode] ?? ''
  return readString(config, 'mode', PATH)?.toUpperCase() ?? 'AUTO'
}

function readForced(names: readonly string[]): ToolChoice {
  const [name, ...others] = names
  if (name === undefined) return { type: 'required' }
  return others.length === 0 ? { type: 'tool', name, kind: 'function' } : allow('required', names)
}

/** A choice among the allowed tools. The canonical form lists these tools in the shape of the chat format. */
function allow(mode: 'auto' | 'required', names: readonly string[]): ToolChoice {
  return { type: 'allowed', mode, tools: names.map((name) => ({ type: 'function', function: { name } })) }
}
