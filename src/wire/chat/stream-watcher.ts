import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../kit/json.ts'
import type { StreamWatcher } from '../wire-format.ts'
import { createChunkWatcher } from './chunk-watcher.ts'

/** Watches a chat stream that goes on byte for byte. */
export function createStreamWatcher(): StreamWatcher {
  return createChunkWatcher(showsWords)
}

/** Fields of a delta that show the caller something once they are not empty. */
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

function showsWords({ delta, message }: JsonObject): boolean {
  const words = isJsonObject(delta) ? delta : message
  if (!isJsonObject(words)) return false
  // The few that are there, not each that could be.
  for (const name in words) {
    if (isShown(words[name]) && shownFields.has(name)) return true
  }
  return false
}

function isShown(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null) return false
  if (typeof value === 'object') return isJsonArray(value) ? value.length > 0 : true
  return value !== ''
}
