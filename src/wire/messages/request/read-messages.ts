import type { ToolResultBlock } from '../../../canonical/content.ts'
import type { Turn } from '../../../canonical/request.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { joinPath } from '../../fields/read-field.ts'
import { invalidField, requireArray } from '../values/read-field.ts'
import { readMessage } from './read-message.ts'

/** The conversation in normal form: neighbouring turns of tool results are one. */
export function readMessages(object: JsonObject): readonly Turn[] {
  const messages = requireArray(object, 'messages', '')
  if (messages.length === 0) throw invalidField('messages', 'an array of at least one message')
  const turns: Turn[] = []
  let results: ToolResultBlock[] = []
  for (const [index, message] of messages.entries()) {
    for (const turn of readMessage(message, joinPath('messages', index))) {
      if (turn.role !== 'tool') {
        turns.push(turn)
        continue
      }
      if (turns.at(-1)?.role !== 'tool') {
        results = []
        turns.push({ role: 'tool', results })
      }
      for (const result of turn.results) results.push(result)
    }
  }
  return turns
}
