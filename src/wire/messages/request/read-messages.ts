import type { SystemBlock, ToolResultBlock, UserBlock } from '../../../canonical/content.ts'
import type { Extras } from '../../../canonical/format.ts'
import type { Turn } from '../../../canonical/request.ts'
import { TurnList } from '../../../canonical/turn-list.ts'
import { endsStep, type Steps } from '../../../kit/async/steps.ts'
import { isJsonArray, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { joinPath } from '../../fields/read-field.ts'
import { readAssistantBlock, readSystemBlock, readUserBlock } from '../blocks/read-block.ts'
import { keepBlock } from '../blocks/read-plain-block.ts'
import { readExtras } from '../values/extras.ts'
import { asObject, invalidField, missingField, requireArray, requireString } from '../values/field-readers.ts'
import { assistantMessageFields, systemMessageFields, userMessageFields } from './request-fields.ts'

/** Reads the conversation in normal form: adjacent turns of tool results become one turn. */
export function* readMessages(object: JsonObject): Steps<readonly Turn[]> {
  const messages = requireArray(object, 'messages', '')
  if (messages.length === 0) throw invalidField('messages', 'an array of at least one message')
  const turns = new TurnList()
  for (const [index, message] of messages.entries()) {
    for (const turn of readMessage(message, joinPath('messages', index))) {
      if (turn.role !== 'tool') turns.add(turn)
      else for (const result of turn.results) turns.addResult(result)
    }
    if (endsStep(index)) yield
  }
  return turns.all
}

/**
 * Reads the turns of one message. A user's message with tool results becomes a turn for the results and a turn for the
 * other content, in their order.
 */
export function readMessage(value: JsonValue, path: string): readonly Turn[] {
  const message = asObject(value, path)
  const role = requireString(message, 'role', path)
  switch (role) {
    case 'user':
      return readUserMessage(message, path)
    case 'assistant': {
      const content = readContent(message, path, readAssistantBlock)
      return [{ role, content, ...readExtras(message, assistantMessageFields) }]
    }
    case 'system': {
      // System messages of the beta may have settings and no content.
      const content =
        (message['content'] ?? undefined) === undefined ? [] : readContent(message, path, readSystemBlock)
      return [{ role, authority: 'system', content, ...readExtras(message, systemMessageFields) }]
    }
    default:
      throw invalidField(joinPath(path, 'role'), '"user", "assistant" or "system"')
  }
}

/** Reads content: a string (one text) or a list of blocks. */
export function readContent<Block>(
  object: JsonObject,
  path: string,
  readBlock: (value: JsonValue, path: string) => Block | { readonly type: 'text'; readonly text: string },
): readonly (Block | { readonly type: 'text'; readonly text: string })[] {
  const inside = joinPath(path, 'content')
  const content = object['content']
  if (content === undefined || content === null) throw missingField(inside)
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  if (!isJsonArray(content)) throw invalidField(inside, 'a string or an array of blocks')
  return content.map((block, index) => readBlock(block, joinPath(inside, index)))
}

function readUserMessage(message: JsonObject, path: string): readonly Turn[] {
  const blocks = readContent<UserBlock | ToolResultBlock>(message, path, readUserBlock)
  const { extras } = readExtras(message, userMessageFields)
  const turns = new TurnList()
  let spoken: UserBlock[] = []
  const closeSpoken = () => {
    if (spoken.length > 0) turns.add({ role: 'user', content: spoken })
    spoken = []
  }
  for (const block of blocks) {
    if (block.type === 'tool-result') {
      closeSpoken()
      turns.addResult(block)
    } else {
      spoken.push(block)
    }
  }
  closeSpoken()
  return withExtras(turns.all, extras)
}

/** Adds the message's extras to its first user turn, or to a new empty one, since tool turns carry no extras. */
function withExtras(turns: readonly Turn[], extras: Extras | undefined): readonly Turn[] {
  const hasSpoken = turns.some((turn) => turn.role === 'user')
  const all: readonly Turn[] =
    hasSpoken || (extras === undefined && turns.length > 0)
      ? turns
      : [...turns, { role: 'user', content: [] }]
  if (extras === undefined) return all
  const first = all.findIndex((turn) => turn.role === 'user')
  return all.map((turn, index) => (turn.role === 'user' && index === first ? { ...turn, extras } : turn))
}

/** Reads the request's `system` as the first turn. Empty if `system` is absent or empty. */
export function readSystem(body: JsonObject): readonly Turn[] {
  const system = body['system']
  if (system === undefined || system === null || system === '') return []
  if (typeof system === 'string') return [systemTurn([{ type: 'text', text: system }])]
  if (!isJsonArray(system)) throw invalidField('system', 'a string or an array of text blocks')
  if (system.length === 0) return []
  return [systemTurn(system.map(readBlock))]
}

/**
 * The prefix of Claude Code's first system block, a header for Anthropic's billing. Anthropic removes the block before
 * the model sees it (https://code.claude.com/docs/en/llm-gateway-protocol, seen 2026-11-20). For any other model the
 * block would be noise. Its text also varies, which would keep the text after it out of prefix caches.
 */
const BILLING_HEADER = 'x-anthropic-billing-header'

function readBlock(value: JsonValue, index: number): SystemBlock {
  const path = joinPath('system', index)
  const block = readSystemBlock(value, path)
  if (index > 0 || block.type !== 'text' || !isBillingHeader(block.text)) return block
  return { ...keepBlock(asObject(value, path)), name: BILLING_HEADER }
}

function isBillingHeader(text: string): boolean {
  return text.startsWith(`${BILLING_HEADER}: `) && !text.includes('\n')
}

function systemTurn(content: readonly SystemBlock[]): Turn {
  return { role: 'system', authority: 'system', content }
}
