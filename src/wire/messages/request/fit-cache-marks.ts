import type { LossList } from '../../../canonical/loss.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'

/** The maximum number of marks. More are refused (docs/build-with-claude/prompt-caching, seen 2026-11-20). */
const MAX_MARKS = 4

/**
 * Removes cache marks beyond the limit. The marks of the longest prefixes stay: tools come first in a prompt, then the
 * system, then the messages.
 */
export function fitCacheMarks(body: JsonObject, losses: LossList): JsonObject {
  const limit = isMarked(body) ? MAX_MARKS - 1 : MAX_MARKS
  const excess = countMarks([body['tools'], body['system'], body['messages']]) - limit
  if (excess <= 0) return body
  losses.lose('cache-mark', 'dropped')
  const left = { count: excess }
  const { tools, system, messages } = body
  return {
    ...body,
    ...(tools === undefined ? {} : { tools: strip(tools, left) }),
    ...(system === undefined ? {} : { system: strip(system, left) }),
    ...(messages === undefined ? {} : { messages: strip(messages, left) }),
  }
}

function isMarked(value: JsonObject): boolean {
  return (value['cache_control'] ?? null) !== null
}

/** Counts the marks on list items and on the blocks in their `content`. Schemas and inputs have no marks. */
function countMarks(value: JsonValue | readonly (JsonValue | undefined)[] | undefined): number {
  if (!isJsonArray(value)) return 0
  let count = 0
  for (const item of value) {
    if (isJsonArray(item)) count += countMarks(item)
    if (isJsonObject(item)) count += (isMarked(item) ? 1 : 0) + countMarks(item['content'])
  }
  return count
}

function strip(value: JsonValue, left: { count: number }): JsonValue {
  if (!isJsonArray(value)) return value
  return value.map((item) => (isJsonObject(item) ? stripItem(item, left) : item))
}

/** Removes the marks inside an item first, since they mark a shorter prefix than the mark on the item itself. */
function stripItem(item: JsonObject, left: { count: number }): JsonObject {
  const { content } = item
  const inner = content === undefined || left.count === 0 ? item : { ...item, content: strip(content, left) }
  if (left.count === 0 || !isMarked(inner)) return inner
  left.count -= 1
  const { cache_control: _mark, ...rest } = inner
  return rest
}
