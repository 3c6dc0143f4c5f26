import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { createChunkWatcher } from '../../openai/verbatim/chunk-watcher.ts'
import type { StreamWatcher } from '../../watched-reply.ts'

/** Watches a chat stream that is forwarded byte for byte. */
export const createStreamWatcher: () => StreamWatcher = createChunkWatcher.bind(undefined, showsWords)

/** Fields of a delta that hold content for the caller, once they are not empty. */
const shownFields: ReadonlySet<string> = new Set([
  'content',
  'reasoning_content',
  'reasoning',
  'reasoning_details',
  'tool_calls',
  'refusal',
  'audio',
  'function_call',
  'annotations',
  'images',
])

function showsWords({ delta, message }: JsonObject): number {
  const words = isJsonObject(delta) ? delta : message
  if (!isJsonObject(words)) return 0
  let shown = 0
  // The loop visits only the fields that are present, not all fields that could be.
  for (const name in words) {
    const value = words[name]
    if (isShown(value) && shownFields.has(name)) shown += Math.max(1, lengthOf(value))
  }
  return shown
}

function isShown(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null) return false
  if (typeof value === 'object') return isJsonArray(value) ? value.length > 0 : true
  return value !== ''
}

/** The length of text and of tool inputs. */
function lengthOf(value: JsonValue | undefined): number {
  if (typeof value === 'string') return value.length
  if (!isJsonArray(value)) return 0
  let length = 0
  for (const entry of value) {
    const called = isJsonObject(entry) ? entry['function'] : undefined
    if (isJsonObject(called)) length += lengthOf(called['arguments'])
  }
  return length
}
