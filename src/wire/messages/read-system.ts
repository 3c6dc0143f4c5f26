import type { SystemBlock } from '../../canonical/content.ts'
import type { Turn } from '../../canonical/request.ts'
import { isJsonArray, type JsonObject } from '../../kit/json.ts'
import { readSystemBlock } from './read-block.ts'
import { fieldPath, invalidField } from './read-field.ts'

/** The request's `system` as its first turn; none where it is absent or empty. */
export function readSystem(body: JsonObject): readonly Turn[] {
  const system = body['system']
  if (system === undefined || system === null || system === '') return []
  if (typeof system === 'string') return [systemTurn([{ type: 'text', text: system }])]
  if (!isJsonArray(system)) throw invalidField('system', 'a string or an array of text blocks')
  if (system.length === 0) return []
  return [systemTurn(system.map((block, index) => readSystemBlock(block, fieldPath('system', index))))]
}

function systemTurn(content: readonly SystemBlock[]): Turn {
  return { role: 'system', authority: 'system', content }
}
