import type { Turn } from '../../canonical/request.ts'
import type { JsonObject } from '../../kit/json.ts'
import { fieldPath, invalidField, requiredArray } from './read-field.ts'
import { readMessage } from './read-message.ts'

/** The conversation in normal form: neighbouring turns of tool results are one. */
export function readMessages(object: JsonObject): readonly Turn[] {
  const messages = requiredArray({ object, place: '', name: 'messages' })
  if (messages.length === 0) throw invalidField('messages', 'an array of at least one message')
  const turns: Turn[] = []
  for (const [index, message] of messages.entries()) {
    for (const turn of readMessage(message, fieldPath('messages', index))) {
      const last = turns.at(-1)
      if (turn.role === 'tool' && last?.role === 'tool') {
        turns[turns.length - 1] = { role: 'tool', results: [...last.results, ...turn.results] }
      } else {
        turns.push(turn)
      }
    }
  }
  return turns
}
