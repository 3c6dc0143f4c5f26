import type { Extras } from '../../canonical/format.ts'
import { isJsonObject } from '../../kit/json.ts'
import type { SseFrame } from '../../kit/sse-parser.ts'
import { tryParseJson } from '../../kit/try-parse-json.ts'
import { findUsage } from './find-usage.ts'

/** The usage of a chunk as the provider wrote it. */
export function findStatedUsage({ data }: SseFrame): Extras | undefined {
  const chunk = tryParseJson(data ?? '')
  const usage = isJsonObject(chunk) ? findUsage(chunk) : undefined
  return usage === undefined ? undefined : { format: 'chat', fields: usage }
}
