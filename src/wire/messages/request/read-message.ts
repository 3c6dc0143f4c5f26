import type { ToolResultBlock, UserBlock } from '../../../canonical/content.ts'
import type { Extras } from '../../../canonical/format.ts'
import type { Turn } from '../../../canonical/request.ts'
import { isJsonArray, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { joinPath } from '../../fields/read-field.ts'
import { readAssistantBlock, readSystemBlock, readUserBlock } from '../blocks/read-block.ts'
import { readExtras } from '../values/extras.ts'
import { asObject, invalidField, missingField, requireString } from '../values/read-field.ts'
import { assistantMessageFields, systemMessageFields, userMessageFields } from './request-fields.ts'

/**
 * The turns of one message: a user's message that answers tools gives a turn for the results and one for what the
 * user says beside them, in their order.
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

/** What the message itself carries goes to its first turn of the user, or to an empty one: tool turns carry nothing. */
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
