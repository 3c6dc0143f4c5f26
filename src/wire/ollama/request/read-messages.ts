import type { AssistantBlock, TextBlock, ToolResultBlock, UserBlock } from '../../../canonical/content.ts'
import type { Turn } from '../../../canonical/request.ts'
import { TurnList } from '../../../canonical/turn-list.ts'
import { endsStep, type Steps } from '../../../kit/async/steps.ts'
import { WaitingItems } from '../../../kit/collections/waiting-items.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { knownFields, leftoversOf } from '../../fields/field-table.ts'
import {
  asObject,
  invalidField,
  joinPath,
  missingField,
  readArray,
  readString,
  requireString,
} from '../../fields/read-field.ts'
import { toExtras } from '../values/extras.ts'
import { readImages } from './read-images.ts'
import { readToolCall } from './read-tools.ts'
import { messageFields, resultFields } from './request-fields.ts'

const known = knownFields(messageFields)
const knownInResult = knownFields(resultFields)

interface OpenCall {
  readonly id: string
}

interface MessagesState {
  readonly turns: TurnList
  /** The calls without a result so far, by ID, by name and in their order. */
  readonly open: WaitingItems<OpenCall>
  /** The number of calls that had no ID. */
  unnamedCalls: number
}

const ANY_CALL = 'any'

/** Reads the conversation in normal form. */
export function* readMessages(body: JsonObject): Steps<readonly Turn[]> {
  const messages = readArray(body, 'messages', '')
  if (messages === undefined) throw missingField('messages')
  if (messages.length === 0) throw invalidField('messages', 'an array with at least one message')
  const state: MessagesState = { turns: new TurnList(), open: new WaitingItems(), unnamedCalls: 0 }
  for (const [index, item] of messages.entries()) {
    const path = `messages[${index}]`
    readMessage(state, asObject(item, path), path)
    if (endsStep(index)) yield
  }
  return state.turns.all
}

function readMessage(state: MessagesState, message: JsonObject, path: string): void {
  // Ollama accepts roles in capital letters, too.
  const role = requireString(message, 'role', path).toLowerCase()
  const extras = toExtras(leftoversOf(message, role === 'tool' ? knownInResult : known))
  if (role === 'tool') {
    state.turns.addResult({ ...readResult(state, message, path), ...extras })
    return
  }
  switch (role) {
    case 'system':
      state.turns.add({ role, authority: 'system', content: readText(message, path), ...extras })
      return
    case 'user':
      state.turns.add({ role, content: readUser(message, path), ...extras })
      return
    case 'assistant':
      state.turns.add({ role, content: readAssistant(state, message, path), ...extras })
      return
    default:
      throw invalidField(joinPath(path, 'role'), 'one of "system", "user", "assistant" and "tool"')
  }
}

function readText(message: JsonObject, path: string): readonly TextBlock[] {
  const text = readString(message, 'content', path) ?? ''
  return text === '' ? [] : [{ type: 'text', text }]
}

/** Reads text, then images. A message without either gets an empty text, which the channel accepts or rejects. */
function readUser(message: JsonObject, path: string): readonly UserBlock[] {
  const blocks = [...readText(message, path), ...readImages(message, path)]
  return blocks.length === 0 ? [{ type: 'text', text: '' }] : blocks
}

function readAssistant(state: MessagesState, message: JsonObject, path: string): readonly AssistantBlock[] {
  const thinking = readString(message, 'thinking', path) ?? ''
  const nextId = () => {
    state.unnamedCalls += 1
    return `call_${state.unnamedCalls}`
  }
  const inner = joinPath(path, 'tool_calls')
  const calls = (readArray(message, 'tool_calls', path) ?? []).map((item, index) =>
    readToolCall(asObject(item, `${inner}[${index}]`), `${inner}[${index}]`, nextId),
  )
  for (const { id, name } of calls) state.open.add({ id }, [`id ${id}`, `name ${name}`, ANY_CALL])
  return [
    ...(thinking === '' ? [] : [{ type: 'thinking' as const, text: thinking }]),
    ...readText(message, path),
    ...calls,
  ]
}

/**
 * Reads a result and finds its call: the call with the result's ID, else the first open call of the named tool, else
 * the first open call.
 */
function readResult(state: MessagesState, message: JsonObject, path: string): ToolResultBlock {
  const id = readString(message, 'tool_call_id', path) ?? ''
  const name = readString(message, 'tool_name', path) ?? readString(message, 'name', path) ?? ''
  const call =
    (id === '' ? undefined : state.open.shift(`id ${id}`)) ??
    (name === '' ? undefined : state.open.shift(`name ${name}`)) ??
    state.open.shift(ANY_CALL)
  return {
    type: 'tool-result',
    callId: call?.id ?? (id === '' ? name : id),
    content: [...readText(message, path), ...readImages(message, path)],
    isError: false,
  }
}
