import type { Extras } from '../../../canonical/format.ts'
import { isJsonObject } from '../../../kit/json/json.ts'
import { tryParseJson } from '../../../kit/json/try-parse-json.ts'
import type { SseFrame } from '../../../kit/sse/sse-parser.ts'
import { findUsage } from './find-usage.ts'

/** The usage of a chunk as the provider wrote it. */
export function findStatedUsage({ data }: SseFrame): Extras | undefined {
  const chunk = tryParseJson(data ?? '')
  const usage = isJsonObject(chunk) ? findUsage(chunk) : undefined
  return usage === undefined ? undefined : { format: 'chat', fields: usage }
}
