import type { ChatRequest, Tool, ToolChoice } from '../../../canonical/request.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { leftoversOf } from '../../fields/field-table.ts'
import { joinPath } from '../../fields/read-field.ts'
import { readExtras } from '../values/extras.ts'
import {
  asObject,
  missingField,
  readArray,
  readBoolean,
  readObject,
  readString,
  readWord,
  requireObject,
  requireString,
} from '../values/field-readers.ts'
import { readCacheControl } from '../values/read-cache-control.ts'
import { toolChoiceFields, toolFields } from './request-fields.ts'

export function readTools(body: JsonObject): readonly Tool[] | undefined {
  return readArray(body, 'tools', '')?.map((tool, index) => readTool(tool, joinPath('tools', index)))
}

/** Reads a tool. A tool with a type other than `custom` belongs to the provider and stays unchanged. */
function readTool(value: JsonValue, path: string): Tool {
  const object = asObject(value, path)
  const type = readString(object, 'type', path)
  if (type !== undefined && type !== 'custom') return { type: 'hosted', format: 'messages', value: object }
  const description = readString(object, 'description', path)
  const strict = readBoolean(object, 'strict', path)
  const { mark, leftovers } = readCacheControl(object, path)
  return {
    type: 'function',
    name: requireString(object, 'name', path),
    ...(description === undefined ? {} : { description }),
    parameters: requireObject(object, 'input_schema', path),
    ...(strict === undefined ? {} : { strict }),
    ...mark,
    ...readExtras(object, toolFields, { cache_control: leftovers }),
  }
}

/** The tools that the model may or must call, and whether it may call several in parallel. */
export interface ToolChoiceReading {
  readonly named: Pick<ChatRequest, 'toolChoice' | 'parallelToolCalls'>
  readonly leftovers?: JsonObject | undefined
}

export function readToolChoice(body: JsonObject): ToolChoiceReading {
  const object = readObject(body, 'tool_choice', '')
  if (object === undefined) return { named: {} }
  const path = 'tool_choice'
  const isSingle = readBoolean(object, 'disable_parallel_tool_use', path)
  return {
    named: {
      toolChoice: readChoice(object, path),
      ...(isSingle === undefined ? {} : { parallelToolCalls: !isSingle }),
    },
    leftovers: leftoversOf(object, toolChoiceFields),
  }
}

function readChoice(object: JsonObject, path: string): ToolChoice {
  const type = readWord(object, 'type', { path, words: ['auto', 'any', 'tool', 'none'] })
  switch (type) {
    case undefined:
      throw missingField('tool_choice.type')
    case 'any':
      return { type: 'required' }
    case 'tool':
      return { type, name: requireString(object, 'name', path), kind: 'function' }
    default:
      return { type }
  }
}
