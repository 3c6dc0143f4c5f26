import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../src/kit/json/json.ts'
import { createSchemaInstance } from '../../../src/simulator/create-schema-instance.ts'
import type { FaultCall } from '../script/fault-call.ts'
import type { AnswerScript } from '../script/script-schema.ts'

export interface PlannedToolCall {
  readonly name: string
  readonly input: string
}

interface OfferedTool {
  readonly name: string
  readonly schema: JsonValue
}

/** The tool that a successful answer calls, with arguments that its schema allows; undefined where it calls none. */
export function planToolCall(call: FaultCall, tools: AnswerScript['tools']): PlannedToolCall | undefined {
  if (tools === 'never') return undefined
  const offered = readTools(call.body['tools'])
  const choice = readChoice(call.body['tool_choice'])
  if (choice.mode === 'none' || (tools === 'required' && choice.mode === 'auto')) return undefined
  const tool = offered.find(({ name }) => choice.name === undefined || choice.name === name)
  return tool && { name: tool.name, input: JSON.stringify(createSchemaInstance(tool.schema)) }
}

/** Tools as either format offers them. */
function readTools(value: JsonValue | undefined): readonly OfferedTool[] {
  if (!isJsonArray(value)) return []
  return value.filter(isJsonObject).flatMap((tool) => {
    const body = isJsonObject(tool['function']) ? tool['function'] : tool
    const { name, parameters, input_schema } = body
    return typeof name === 'string' ? [{ name, schema: parameters ?? input_schema ?? {} }] : []
  })
}

interface ToolChoice {
  readonly mode: 'auto' | 'none' | 'must'
  readonly name?: string
}

function readChoice(value: JsonValue | undefined): ToolChoice {
  if (value === 'required') return { mode: 'must' }
  if (value === 'none') return { mode: 'none' }
  if (!isJsonObject(value)) return { mode: 'auto' }
  const name = nameIn(value['function']) ?? nameIn(value)
  if (name !== undefined) return { mode: 'must', name }
  if (value['type'] === 'none') return { mode: 'none' }
  return { mode: value['type'] === 'any' ? 'must' : 'auto' }
}

function nameIn(value: JsonValue | undefined): string | undefined {
  const body: JsonObject = isJsonObject(value) ? value : {}
  return typeof body['name'] === 'string' ? body['name'] : undefined
}
