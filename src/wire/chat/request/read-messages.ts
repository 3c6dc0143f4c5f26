import type { ToolResultBlock } from '../../../canonical/content.ts'
import type { Turn } from '../../../canonical/request.ts'
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
  readonly turns: Turn[]
  /** The results of consecutive tool messages, which form one turn. */
  results: ToolResultBlock[]
  /** The number of calls of the deprecated form. Each result of that form answers the latest such call. */
  legacyCalls: number
}

/** Reads the conversation in normal form. */
export function* readMessages(body: JsonObject): Steps<readonly Turn[]> {
  const messages = readArray(body, 'messages', '')
  if (messages === undefined) throw missingField('messages')
  if (messages.length === 0) throw invalidField('messages', 'an array with at least one message')
  const state: TurnsState = { turns: [], results: [], legacyCalls: 0 }
  for (const [index, item] of messages.entries()) {
    const path = `messages[${index}]`
    readMessage(state, asObject(item, path), path)
    if (endsStep(index)) yield
  }
  closeToolTurn(state)
  return state.turns
}

function readMessage(state: TurnsState, message: JsonObject, path: string): void {
  const role = requireString(message, 'role', path)
  switch (role) {
    case 'tool':
      state.results.push(readToolMessage(message, path))
      return
    case 'function':
      state.results.push(readFunctionMessage(message, path, legacyCallId(state.legacyCalls)))
      return
    case 'system':
    case 'developer':
      pushTurn(state, readSystemMessage(message, path, role))
      return
    case 'user':
      pushTurn(state, readUserMessage(message, path))
      return
    case 'assistant':
      if ((message['function_call'] ?? null) !== null) state.legacyCalls += 1
      pushTurn(state, readAssistantMessage(message, path, legacyCallId(state.legacyCalls)))
      return
    default:
      throw invalidField(
        joinPath(path, 'role'),
        'one of "system", "developer", "user", "assistant", "tool" and "function"',
      )
  }
}

function pushTurn(state: TurnsState, turn: Turn): void {
  closeToolTurn(state)
  state.turns.push(turn)
}

function closeToolTurn(state: TurnsState): void {
  if (state.results.length === 0) return
  state.turns.push({ role: 'tool', results: state.results })
  state.results = []
}

function legacyCallId(count: number): string {
  return `call_function_${count}`
}
