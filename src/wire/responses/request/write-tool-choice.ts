import type { ToolChoice } from '../../../canonical/request.ts'
import { isJsonObject, type JsonValue } from '../../../kit/json/json.ts'

export function writeToolChoice(choice: ToolChoice): JsonValue {
  switch (choice.type) {
    case 'tool':
      return { type: choice.kind, name: choice.name }
    case 'allowed':
      return { type: 'allowed_tools', mode: choice.mode, tools: choice.tools.map(flattenName) }
    default:
      return choice.type
  }
}

/** Moves a tool's name next to its type, where this format has it. */
function flattenName(tool: JsonValue): JsonValue {
  if (!isJsonObject(tool)) return tool
  const { type } = tool
  const holder = type === 'function' || type === 'custom' ? tool[type] : undefined
  if (typeof type !== 'string' || !isJsonObject(holder)) return tool
  const { [type]: _holder, ...more } = tool
  return { ...more, ...holder, type }
}
