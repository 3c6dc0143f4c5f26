import type { ChatRequest, ToolChoice } from '../../../canonical/request.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { leftoversOf } from '../../fields/field-table.ts'
import { missingField, readBoolean, readObject, readWord, requireString } from '../values/read-field.ts'
import { toolChoiceFields } from './request-fields.ts'

/** Which tools the model may or must call, and whether several at once. */
export interface ReadToolChoice {
  readonly named: Pick<ChatRequest, 'toolChoice' | 'parallelToolCalls'>
  readonly leftovers?: JsonObject | undefined
}

export function readToolChoice(body: JsonObject): ReadToolChoice {
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
