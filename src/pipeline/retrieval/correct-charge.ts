import { isJsonObject, type JsonObject } from '../../kit/json/json.ts'
import { tryParseJson } from '../../kit/json/try-parse-json.ts'
import type { SseFrame } from '../../kit/sse/sse-parser.ts'
import type { StoredResponse } from '../../stored-answers/stored-response.ts'
import { isInProgress } from '../exchange/stored-conversation.ts'
import type { Retrieval } from './retrieval-input.ts'

/**
 * Corrects the row of a response that was still in progress when its request ended. This happens once the response is
 * over and states its usage. The answer to the caller does not wait for it.
 */
export function correctCharge(
  { request: { format }, corrections }: Pick<Retrieval, 'request' | 'corrections'>,
  { charge }: StoredResponse,
  response: JsonObject | undefined,
): void {
  if (charge === undefined || typeof response?.['status'] !== 'string' || isInProgress(response)) return
  const { usage, servedTier } = format.watchReply(response)
  if (usage !== undefined) void corrections.correct(charge, { usage, servedTier })
}

const FAILED = 'response.failed'

/** The response in an event of a failure. The watcher of the stream reports such an event only as an error. */
export function findFailedResponse({ event, data }: SseFrame): JsonObject | undefined {
  if (event !== FAILED || data === undefined) return undefined
  const value = tryParseJson(data)
  return isJsonObject(value) && isJsonObject(value['response']) ? value['response'] : undefined
}
