import type { ToolResultBlock, UserBlock } from '../../../canonical/content.ts'
import type { Turn } from '../../../canonical/request.ts'
import { endsStep, type Steps } from '../../../kit/async/steps.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import {
  asObject,
  invalidField,
  joinPath,
  missingField,
  readArray,
  requireString,
} from '../../fields/read-field.ts'
import {
  isOwnResult,
  readAssistantBlock,
  readBlocks,
  readSystemBlock,
  readToolResult,
  readUserBlock,
} from './read-content.ts'

interface MessagesState {
  readonly turns: Turn[]
  /** The tool results of the current turn. Consecutive results make one turn. */
  results: ToolResultBlock[]
}

/** Reads the conversation in normal form: first `system`, then the messages. */
export function* readMessages(body: JsonObject): Steps<readonly Turn[]> {
  const messages = readArray(body, 'messages', '')
  if (messages === undefined) throw missingField('messages')
  if (messages.length === 0) throw invalidField('messages', 'an array with at least one message')
  const state: MessagesState = { turns: readSystem(body), results: [] }
  for (const [index, item] of messages.entries()) {
    const path = `messages[${index}]`
    readMessage(state, asObject(item, path), path)
    if (endsStep(index)) yield
  }
  closeResults(state)
  return state.turns
}

function readSystem(body: JsonObject): Turn[] {
  const system = readArray(body, 'system', '') ?? []
  if (system.length === 0) return []
  return [{ role: 'system', authority: 'system', content: readBlocks(system, 'system', readSystemBlock) }]
}

function readMessage(state: MessagesState, message: JsonObject, path: string): void {
  const role = requireString(message, 'role', path)
  const inner = joinPath(path, 'content')
  const content = readArray(message, 'content', path) ?? []
  if (content.length === 0) throw invalidField(inner, 'an array with at least one block')
  if (role === 'assistant') {
    closeResults(state)
    state.turns.push({ role, content: readBlocks(content, inner, readAssistantBlock) })
    return
  }
  if (role !== 'user') throw invalidField(joinPath(path, 'role'), '"user" or "assistant"')
  readUserMessage(state, content, inner)
}

/** Reads a user's message: first the tool results, which come first in every format, then the other blocks. */
function readUserMessage(state: MessagesState, content: readonly JsonValue[], path: string): void {
  const read = (block: JsonObject, blockPath: string): UserBlock | ToolResultBlock =>
    block['toolResult'] === undefined || isOwnResult(block)
      ? readUserBlock(block, blockPath)
      : readToolResult(block, blockPath)
  const said: UserBlock[] = []
  for (const block of readBlocks(content, path, read)) {
    if (block.type === 'tool-result') state.results.push(block)
    else said.push(block)
  }
  if (said.length === 0) return
  closeResults(state)
  state.turns.push({ role: 'user', content: said })
}

function closeResults(state: MessagesState): void {
  if (state.results.length > 0) state.turns.push({ role: 'tool', results: state.results })
  state.results = []
}
