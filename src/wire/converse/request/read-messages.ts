import type { ToolResultBlock, UserBlock } from '../../../canonical/content.ts'
import type { Turn } from '../../../canonical/request.ts'
import { TurnList } from '../../../canonical/turn-list.ts'
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

/** Reads the conversation in normal form: first `system`, then the messages. */
export function* readMessages(body: JsonObject): Steps<readonly Turn[]> {
  const messages = readArray(body, 'messages', '')
  if (messages === undefined) throw missingField('messages')
  if (messages.length === 0) throw invalidField('messages', 'an array with at least one message')
  const turns = new TurnList()
  readSystem(turns, body)
  for (const [index, item] of messages.entries()) {
    const path = `messages[${index}]`
    readMessage(turns, asObject(item, path), path)
    if (endsStep(index)) yield
  }
  return turns.all
}

function readSystem(turns: TurnList, body: JsonObject): void {
  const system = readArray(body, 'system', '') ?? []
  if (system.length === 0) return
  const content = readBlocks(system, 'system', readSystemBlock)
  turns.add({ role: 'system', authority: 'system', content })
}

function readMessage(turns: TurnList, message: JsonObject, path: string): void {
  const role = requireString(message, 'role', path)
  const inner = joinPath(path, 'content')
  const content = readArray(message, 'content', path) ?? []
  if (content.length === 0) throw invalidField(inner, 'an array with at least one block')
  if (role === 'assistant') {
    turns.add({ role, content: readBlocks(content, inner, readAssistantBlock) })
    return
  }
  if (role !== 'user') throw invalidField(joinPath(path, 'role'), '"user" or "assistant"')
  readUserMessage(turns, content, inner)
}

/** Reads a user's message: first the tool results, which come first in every format, then the other blocks. */
function readUserMessage(turns: TurnList, content: readonly JsonValue[], path: string): void {
  const read = (block: JsonObject, blockPath: string): UserBlock | ToolResultBlock =>
    block['toolResult'] === undefined || isOwnResult(block)
      ? readUserBlock(block, blockPath)
      : readToolResult(block, blockPath)
  const said: UserBlock[] = []
  for (const block of readBlocks(content, path, read)) {
    if (block.type === 'tool-result') turns.addResult(block)
    else said.push(block)
  }
  if (said.length > 0) turns.add({ role: 'user', content: said })
}
