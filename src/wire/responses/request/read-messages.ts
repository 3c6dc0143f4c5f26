import type { AssistantBlock, ToolResultBlock } from '../../../canonical/content.ts'
import type { Turn } from '../../../canonical/request.ts'
import { endsStep, type Steps } from '../../../kit/async/steps.ts'
import { isJsonArray, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { knownFields, leftoversOf } from '../../fields/field-table.ts'
import { asObject, invalidField, joinPath, missingField, readString } from '../../fields/read-field.ts'
import { toExtras } from '../values/extras.ts'
import { joinName } from './namespaced-name.ts'
import { readContent, readSystemPart, readUserPart } from './read-content.ts'
import { readAssistantItem, readResultItem } from './read-item.ts'
import { refuseStoredItem } from './refuse-stored-state.ts'
import { inputMessageFields } from './request-fields.ts'

const inputMessage = knownFields(inputMessageFields)

interface InputState {
  readonly turns: Turn[]
  /** The blocks of consecutive assistant items, which form one turn. Consecutive tool results also form one turn. */
  said: AssistantBlock[]
  results: ToolResultBlock[]
}

/** Reads the conversation in normal form: `instructions` first, then the input. */
export function* readMessages(body: JsonObject): Steps<readonly Turn[]> {
  const state: InputState = { turns: [], said: [], results: [] }
  const instructions = readInstructions(body['instructions'])
  if (instructions !== undefined) state.turns.push(instructions)
  const { input } = body
  if (input === undefined || input === null) throw missingField('input')
  if (typeof input === 'string') {
    state.turns.push({ role: 'user', content: input === '' ? [] : [{ type: 'text', text: input }] })
    return state.turns
  }
  if (!isJsonArray(input) || input.length === 0) {
    throw invalidField('input', 'a string or an array with at least one item')
  }
  for (const [index, item] of input.entries()) {
    readItem(state, asObject(item, `input[${index}]`), `input[${index}]`)
    if (endsStep(index)) yield
  }
  closeTurns(state)
  return state.turns
}

function readInstructions(value: JsonValue | undefined): Turn | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string') throw invalidField('instructions', 'a string')
  return { role: 'system', authority: 'system', content: [{ type: 'text', text: value }] }
}

function readItem(state: InputState, item: JsonObject, path: string): void {
  const type = readString(item, 'type', path) ?? 'message'
  const role = readString(item, 'role', path)
  refuseStoredItem(item, path)
  const result = readResultItem(item, path)
  if (result !== undefined) {
    if (state.said.length > 0) closeTurns(state)
    state.results.push(result)
    return
  }
  if (type !== 'message' || role === 'assistant') {
    if (state.results.length > 0) closeTurns(state)
    for (const block of readAssistantItem(withOneName(item), path)) state.said.push(block)
    return
  }
  closeTurns(state)
  state.turns.push(readMessage(item, role, path))
}

/** Gives a call of a namespaced tool the joined name under which the tool is offered. */
function withOneName(item: JsonObject): JsonObject {
  const { namespace, name, ...others } = item
  if (typeof namespace !== 'string' || typeof name !== 'string') return item
  return { ...others, name: joinName({ namespace, name }) }
}

function readMessage(message: JsonObject, role: string | undefined, path: string): Turn {
  const extras = toExtras(leftoversOf(message, inputMessage))
  const innerPath = joinPath(path, 'content')
  switch (role) {
    case 'system':
    case 'developer': {
      const content = readContent(message['content'], innerPath, readSystemPart)
      return { role: 'system', authority: role, content, ...extras }
    }
    case 'user':
      return { role, content: readContent(message['content'], innerPath, readUserPart), ...extras }
    case undefined:
      throw missingField(joinPath(path, 'role'))
    default:
      throw invalidField(joinPath(path, 'role'), 'one of "system", "developer", "user" and "assistant"')
  }
}

function closeTurns(state: InputState): void {
  if (state.said.length > 0) state.turns.push({ role: 'assistant', content: state.said })
  if (state.results.length > 0) state.turns.push({ role: 'tool', results: state.results })
  state.said = []
  state.results = []
}
