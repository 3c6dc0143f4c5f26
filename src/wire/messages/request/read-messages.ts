import type { SystemBlock, ToolResultBlock, UserBlock } from '../../../canonical/content.ts'
import type { Extras } from '../../../canonical/format.ts'
import type { Turn } from '../../../canonical/request.ts'
import { endsStep, type Steps } from '../../../kit/async/steps.ts'
import { isJsonArray, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { joinPath } from '../../fields/read-field.ts'
import { readAssistantBlock, readSystemBlock, readUserBlock } from '../blocks/read-block.ts'
import { keepBlock } from '../blocks/read-plain-block.ts'
import { readExtras } from '../values/extras.ts'
import { asObject, invalidField, missingField, requireArray, requireString } from '../values/field-readers.ts'
import { assistantMessageFields, systemMessageFields, userMessageFields } from './request-fields.ts'

/** The conversation in normal form: neighbouring turns of tool results are one. */
export function* readMessages(object: JsonObject): Steps<readonly Turn[]> {
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
    if (endsStep(index)) yield
  }
  return turns
}

/**
 * The turns of one message: a user's message that answers tools gives a turn for the results and one for the content
 * beside them, in their order.
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
      // The beta's system messages may have settings alone.
      const content =
        (message['content'] ?? undefined) === undefined ? [] : readContent(message, path, readSystemBlock)
      return [{ role, authority: 'system', content, ...readExtras(message, systemMessageFields) }]
    }
    default:
      throw invalidField(joinPath(path, 'role'), '"user", "assistant" or "system"')
  }
}

/** Content as a string, which is one text, or as blocks. */
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
  const turns: Turn[] = []
  let results: ToolResultBlock[] = []
  let spoken: UserBlock[] = []
  const closeResults = () => {
    if (results.length > 0) turns.push({ role: 'tool', results })
    results = []
  }
  const closeSpoken = () => {
    if (spoken.length > 0) turns.push({ role: 'user', content: spoken })
    spoken = []
  }
  for (const block of blocks) {
    if (block.type === 'tool-result') {
      closeSpoken()
      results.push(block)
    } else {
      closeResults()
      spoken.push(block)
    }
  }
  closeResults()
  closeSpoken()
  return withExtras(turns, extras)
}

/** Gives the message's own extras to its first turn of the user, or to an empty one: tool turns carry nothing. */
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

/** The request's `system` as its first turn; none where it is absent or empty. */
export function readSystem(body: JsonObject): readonly Turn[] {
  const system = body['system']
  if (system === undefined || system === null || system === '') return []
  if (typeof system === 'string') return [systemTurn([{ type: 'text', text: system }])]
  if (!isJsonArray(system)) throw invalidField('system', 'a string or an array of text blocks')
  if (system.length === 0) return []
  return [systemTurn(system.map(readBlock))]
}

/**
 * Claude Code's first block is a header for Anthropic's accounts, which Anthropic takes out before the model sees it
 * (https://code.claude.com/docs/en/llm-gateway-protocol, seen 2026-11-20). To any other model it would be noise, and
 * its text, which is not always the same, would keep what follows out of prefix caches.
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
