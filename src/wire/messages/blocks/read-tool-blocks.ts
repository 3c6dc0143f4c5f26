import type { ToolCallBlock, ToolResultBlock, ToolResultContent } from '../../../canonical/content.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { restoreCallId } from '../request/carry-call-id.ts'
import { toolResultFields, toolUseFields } from '../request/request-fields.ts'
import { readExtras } from '../values/extras.ts'
import { readCacheControl } from '../values/read-cache-control.ts'
import {
  fieldPath,
  invalidField,
  optionalBoolean,
  readObject,
  requiredObject,
  requiredString,
} from '../values/read-field.ts'
import { readPlainBlock } from './read-plain-block.ts'

/** The kinds that must not stand inside a tool's result. */
const outsideKinds: ReadonlySet<JsonValue | undefined> = new Set([
  'thinking',
  'redacted_thinking',
  'tool_use',
  'tool_result',
])

export function readToolUseBlock(object: JsonObject, path: string): ToolCallBlock {
  const input = requiredObject({ object, path, name: 'input' })
  const { mark, leftovers } = readCacheControl(object, path)
  return {
    type: 'tool-call',
    id: restoreCallId(requiredString({ object, path, name: 'id' })),
    name: requiredString({ object, path, name: 'name' }),
    kind: 'function',
    input: JSON.stringify(input),
    ...mark,
    ...readExtras(withoutDirectCaller(object), toolUseFields, { cache_control: leftovers }),
  }
}

export function readToolResultBlock(object: JsonObject, path: string): ToolResultBlock {
  const { mark, leftovers } = readCacheControl(object, path)
  return {
    type: 'tool-result',
    callId: restoreCallId(requiredString({ object, path, name: 'tool_use_id' })),
    content: readToolResultContent(object['content'], fieldPath(path, 'content')),
    isError: optionalBoolean({ object, path, name: 'is_error' }) ?? false,
    ...mark,
    ...readExtras(object, toolResultFields, { cache_control: leftovers }),
  }
}

function readToolResultContent(content: JsonValue | undefined, path: string): readonly ToolResultContent[] {
  if (content === undefined || content === null || content === '') return []
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) throw invalidField(path, 'a string or an array of blocks')
  return content.map((item: JsonValue, index) => {
    const itemPath = fieldPath(path, index)
    const block = readObject(item, itemPath)
    const kind = requiredString({ object: block, path: itemPath, name: 'type' })
    if (outsideKinds.has(kind)) {
      throw invalidField(fieldPath(itemPath, 'type'), 'a kind of block that a tool can return')
    }
    return readPlainBlock(block, itemPath)
  })
}

/** That the model itself called the tool is what every call means unless it says otherwise. */
function withoutDirectCaller(object: JsonObject): JsonObject {
  if (object['caller'] === undefined) return object
  const { caller, ...others } = object
  const isDirect = isJsonObject(caller) && caller['type'] === 'direct' && Object.keys(caller).length === 1
  return isDirect ? others : object
}
