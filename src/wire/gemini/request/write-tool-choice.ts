import type { ToolChoice } from '../../../canonical/request.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { readAllowedNames } from '../../tools/allowed-tools.ts'

/** Writes a tool choice. `VALIDATED` means text or one of the named tools; `AUTO` accepts no names. */
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
      return { mode, allowedFunctionNames: readAllowedNames(choice.tools) }
    }
  }
}
