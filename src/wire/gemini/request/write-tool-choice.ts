import type { ToolChoice } from '../../../canonical/request.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { fitCallId } from '../../fields/fit-call-id.ts'

/** `VALIDATED` means text or one of some tools; `AUTO` takes no names. */
export function writeToolChoice(choice: ToolChoice): JsonObject {
  switch (choice.type) {
    case 'auto':
      return { mode: 'AUTO' }
    case 'none':
      return { mode: 'NONE' }
    case 'required':
      return { mode: 'ANY' }
    case 'tool':
      return { mode: 'ANY', allowedFunctionNames: [choice.name] }
    case 'allowed': {
      const mode = choice.mode === 'required' ? 'ANY' : 'VALIDATED'
      return { mode, allowedFunctionNames: choice.tools.map(readAllowedName).filter((name) => name !== '') }
    }
  }
}

/** Names as they are offered. */
function readAllowedName(entry: JsonValue): string {
  if (!isJsonObject(entry)) return ''
  const holder = entry['function'] ?? entry['custom']
  const name = isJsonObject(holder) ? holder['name'] : entry['name']
  return typeof name === 'string' && name !== '' ? fitCallId(name) : ''
}
