import type { Turn } from '../../../canonical/request.ts'
import { TurnList } from '../../../canonical/turn-list.ts'
import { endsStep, type Steps } from '../../../kit/async/steps.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import {
  asObject,
  invalidField,
  joinPath,
  missingField,
  readArray,
  requireString,
} from '../../fields/read-field.ts'
import {
  readAssistantMessage,
  readFunctionMessage,
  readSystemMessage,
  readToolMessage,
  readUserMessage,
} from './read-message.ts'

interface TurnsState {
  readonly turns: TurnList
  /** The number of calls of the deprecated form. Each result of that form answers the latest such call. */
  legacyCalls: number
}

/** Reads the conversation in normal form. */
export function* readMessages(body: JsonObject): Steps<readonly Turn[]> {
  const messages = readArray(body, 'messages', '')
  if (messages === undefined) throw missingField('messages')
  if (messages.length === 0) throw invalidField('messages', 'an array with at least one message')
  const state: TurnsState = { turns: new TurnList(), legacyCalls: 0 }
  for (const [index, item] of messages.entries()) {
    const path = `messages[${index}]`
    readMessage(state, asObject(item, path), path)
    if (endsStep(index)) yield
  }
  return state.turns.all
}

function readMessage(state: TurnsState, message: JsonObject, path: string): void {
  const role = requireString(message, 'role', path)
  switch (role) {
    case 'tool':
      state.turns.addResult(readToolMessage(message, path))
      return
    case 'function':
      state.turns.addResult(readFunctionMessage(message, path, legacyCallId(state.legacyCalls)))
      return
    case 'system':
    case 'developer':
      state.turns.add(readSystemMessage(message, path, role))
      return
    case 'user':
      state.turns.add(readUserMessage(message, path))
      return
    case 'assistant':
      if ((message['function_call'] ?? null) !== null) state.legacyCalls += 1
      state.turns.add(readAssistantMessage(message, path, legacyCallId(state.legacyCalls)))
      return
    default:
      throw invalidField(
        joinPath(path, 'role'),
        'one of "system", "developer", "user", "assistant", "tool" and "function"',
      )
  }
}

function legacyCallId(count: number): string {
  return `call_function_${count}`
}
