import { isJsonArray, isJsonObject, type JsonObject } from '../../../src/kit/json/json.ts'
import { tryParsePlainJson } from '../../../src/kit/json/try-parse-json.ts'
import type { PartKind } from './fault-answer.ts'

const kindsByType: Readonly<Record<string, PartKind>> = {
  message_start: 'start',
  content_block_start: 'start',
  content_block_delta: 'content',
  content_block_stop: 'finish',
  message_delta: 'finish',
  message_stop: 'terminator',
}

/** The purpose of an event of a complete stream. */
export function sortEvent(event: string): PartKind {
  const value = readEventData(event)
  if (value === undefined) return 'terminator'
  if (typeof value['type'] === 'string') return kindsByType[value['type']] ?? 'content'
  const choice = isJsonArray(value['choices']) ? value['choices'][0] : undefined
  if (!isJsonObject(choice)) return 'usage'
  if (typeof choice['finish_reason'] === 'string') return 'finish'
  const delta = isJsonObject(choice['delta']) ? choice['delta'] : {}
  return delta['role'] !== undefined && delta['tool_calls'] === undefined ? 'start' : 'content'
}

/** The object in an event's data; undefined where the data is no object, as in `[DONE]`. */
export function readEventData(event: string): JsonObject | undefined {
  const start = event.indexOf('data: ')
  if (start === -1 || event[start + 6] !== '{') return undefined
  const value = tryParsePlainJson(event.slice(start + 6))
  return isJsonObject(value) ? value : undefined
}
