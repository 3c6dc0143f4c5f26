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

/** The conversation, in normal form: `system` first. */
export function* readMessages(body: JsonObject): Steps<readonly Turn[]> {
  const messages = readArray(body, 'messages', '')
  if (messages === undefined) throw missingField('messages')
  if (messages.length === 0) throw invalidField('messages', 'an array with at least one message')
  const turns: Turn[] = readSystem(body)
  for (const [index, item] of messages.entries()) {
    const path = `messages[${index}]`
    readMessage(turns, asObject(item, path), path)
    if (endsStep(index)) yield
  }
  return turns
}

function readSystem(body: JsonObject): Turn[] {
  const system = readArray(body, 'system', '') ?? []
  if (system.length === 0) return []
  return [{ role: 'system', authority: 'system', content: readBlocks(system, 'system', readSystemBlock) }]
}

function readMessage(turns: Turn[], message: JsonObject, path: string): void {
  const role = requireString(message, 'role', path)
  const inner = joinPath(path, 'content')
  const content = readArray(message, 'content', path) ?? []
  if (content.length === 0) throw invalidField(inner, 'an array with at least one block')
  if (role === 'assistant') {
    turns.push({ role, content: readBlocks(content, inner, readAssistantBlock) })
    return
  }
  if (role !== 'user') throw invalidField(joinPath(path, 'role'), '"user" or "assistant"')
  readUserMessage(turns, content, inner)
}

/** Results of tools first, as every format has them, then the user's other blocks. */
function readUserMessage(turns: Turn[], content: readonly JsonValue[], path: string): void {
  const read = (block: JsonObject, blockPath: string): UserBlock | ToolResultBlock =>
    block['toolResult'] === undefined || isOwnResult(block)
      ? readUserBlock(block, blockPath)
      : readToolResult(block, blockPath)
  const blocks = readBlocks(content, path, read)
  const results = blocks.filter((block) => block.type === 'tool-result')
  const said = blocks.filter((block) => block.type !== 'tool-result')
  const last = turns.at(-1)
  if (results.length > 0) {
    if (last?.role === 'tool')
      turns[turns.length - 1] = { role: 'tool', results: [...last.results, ...results] }
    else turns.push({ role: 'tool', results })
  }
  if (said.length > 0) turns.push({ role: 'user', content: said })
}
