import type { ToolCallBlock, ToolResultBlock, ToolResultContent } from '../../../canonical/content.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { joinPath } from '../../fields/read-field.ts'
import { restoreCallId } from '../request/carry-call-id.ts'
import { toolResultFields, toolUseFields } from '../request/request-fields.ts'
import { readExtras } from '../values/extras.ts'
import { asObject, invalidField, readBoolean, requireObject, requireString } from '../values/field-readers.ts'
import { readCacheControl } from '../values/read-cache-control.ts'
import { readPlainBlock } from './read-plain-block.ts'

/** The kinds of blocks that are not allowed inside a tool's result. */
const outsideKinds: ReadonlySet<JsonValue | undefined> = new Set([
  'thinking',
  'redacted_thinking',
  'tool_use',
  'tool_result',
])

export function readToolUseBlock(object: JsonObject, path: string): ToolCallBlock {
  const input = requireObject(object, 'input', path)
  const { mark, leftovers } = readCacheControl(object, path)
  return {
    type: 'tool-call',
    id: restoreCallId(requireString(object, 'id', path)),
    name: requireString(object, 'name', path),
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
    callId: restoreCallId(requireString(object, 'tool_use_id', path)),
    content: readToolResultContent(object['content'], joinPath(path, 'content')),
    isError: readBoolean(object, 'is_error', path) ?? false,
    ...mark,
    ...readExtras(object, toolResultFields, { cache_control: leftovers }),
  }
}

function readToolResultContent(content: JsonValue | undefined, path: string): readonly ToolResultContent[] {
  if (content === undefined || content === null || content === '') return []
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) throw invalidField(path, 'a string or an array of blocks')
  return content.map((item: JsonValue, index) => {
    const itemPath = joinPath(path, index)
    const block = asObject(item, itemPath)
    const kind = requireString(block, 'type', itemPath)
    if (outsideKinds.has(kind)) {
      throw invalidField(joinPath(itemPath, 'type'), 'a kind of block that a tool can return')
    }
    return readPlainBlock(block, itemPath)
  })
}

/** Leaves out the `caller` field if it has the default value: the model itself called the tool. */
function withoutDirectCaller(object: JsonObject): JsonObject {
  if (object['caller'] === undefined) return object
  const { caller, ...others } = object
  const isDirect = isJsonObject(caller) && caller['type'] === 'direct' && Object.keys(caller).length === 1
  return isDirect ? others : object
}
