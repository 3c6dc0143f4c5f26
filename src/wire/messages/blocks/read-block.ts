import { UNSIGNED, unpackReasoning } from '../../../canonical/carried-reasoning.ts'
import type {
  AssistantBlock,
  RedactedThinkingBlock,
  SystemBlock,
  ThinkingBlock,
  ToolCallBlock,
  ToolResultBlock,
  UserBlock,
} from '../../../canonical/content.ts'
import type { GatewayError } from '../../../canonical/failure.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { joinPath } from '../../fields/read-field.ts'
import { redactedThinkingFields, thinkingBlockFields } from '../request/request-fields.ts'
import { readExtras } from '../values/extras.ts'
import { asObject, invalidField, readString, requireString } from '../values/field-readers.ts'
import { keepBlock, type PlainBlock, readPlainBlock } from './read-plain-block.ts'
import { readToolResultBlock, readToolUseBlock } from './read-tool-blocks.ts'

type ReadBlock = PlainBlock | ThinkingBlock | RedactedThinkingBlock | ToolCallBlock | ToolResultBlock

export function readUserBlock(value: JsonValue, path: string): UserBlock | ToolResultBlock {
  const block = readBlock(asObject(value, path), path)
  switch (block.type) {
    case 'thinking':
    case 'redacted-thinking':
    case 'tool-call':
      throw wrongRole(path, 'user')
    default:
      return block
  }
}

export function readAssistantBlock(value: JsonValue, path: string): AssistantBlock {
  const object = asObject(value, path)
  const block = readBlock(object, path)
  switch (block.type) {
    case 'tool-result':
      throw wrongRole(path, 'assistant')
    case 'document':
    case 'search-result':
      return keepBlock(object)
    default:
      return block
  }
}

export function readSystemBlock(value: JsonValue, path: string): SystemBlock {
  const block = readBlock(asObject(value, path), path)
  if (block.type === 'text' || block.type === 'opaque') return block
  throw wrongRole(path, 'system')
}

function readBlock(object: JsonObject, path: string): ReadBlock {
  switch (requireString(object, 'type', path)) {
    case 'thinking':
      return readThinking(object, path)
    case 'redacted_thinking':
      return readRedactedThinking(object, path)
    case 'tool_use':
      return readToolUseBlock(object, path)
    case 'tool_result':
      return readToolResultBlock(object, path)
    default:
      return readPlainBlock(object, path)
  }
}

function readRedactedThinking(object: JsonObject, path: string): ThinkingBlock | RedactedThinkingBlock {
  const data = requireString(object, 'data', path)
  const carried = unpackReasoning(data, '')
  if (carried !== undefined) return carried
  return { type: 'redacted-thinking', data, ...readExtras(object, redactedThinkingFields) }
}

/**
 * An empty signature, or the unsigned mark, means that the thinking came from a format without signatures. A packed
 * signature is from the provider of another format.
 */
function readThinking(object: JsonObject, path: string): ThinkingBlock | RedactedThinkingBlock {
  const said = readString(object, 'signature', path)
  const signature = said === '' || said === UNSIGNED ? undefined : said
  const text = requireString(object, 'thinking', path)
  const carried = signature === undefined ? undefined : unpackReasoning(signature, text)
  if (carried !== undefined) return carried
  return {
    type: 'thinking',
    text,
    ...(signature === undefined ? {} : { signature }),
    ...readExtras(object, thinkingBlockFields),
  }
}

function wrongRole(path: string, role: string): GatewayError {
  return invalidField(joinPath(path, 'type'), `a kind of block that a message of role "${role}" can hold`)
}
