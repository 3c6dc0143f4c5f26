import { noUsage, type Usage } from '../../canonical/usage.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import { UsageCounter } from '../fields/usage-counter.ts'

/**
 * Reads the usage of a `response.done` into disjoint classes; undefined where there is none. The input consists of
 * text, audio and images, each with its share read from the cache
 * (https://platform.openai.com/docs/api-reference/realtime-server-events/response/done, seen 2026-11-25). Never throws.
 */
export function readRealtimeUsage(value: JsonValue | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined
  const counter = new UsageCounter(
    value['input_tokens'] === undefined || value['output_tokens'] === undefined,
  )
  const input = counter.count(value['input_tokens'])
  const outputTokens = counter.count(value['output_tokens'])
  const inputs = objectOf(value['input_token_details'])
  const outputs = objectOf(value['output_token_details'])
  const cached = objectOf(inputs['cached_tokens_details'])
  const cacheReadTokens = counter.partOf(counter.count(inputs['cached_tokens']), input)
  const inputAudioTokens = counter.partOf(counter.count(inputs['audio_tokens']), input)
  const images = counter.count(inputs['image_tokens']) - counter.count(cached['image_tokens'])
  return {
    ...noUsage,
    freshInputTokens: input - cacheReadTokens,
    cacheReadTokens,
    outputTokens,
    inputAudioTokens,
    inputImageTokens: Math.max(0, images),
    cacheReadAudioTokens: counter.partOf(
      counter.count(cached['audio_tokens']),
      Math.min(cacheReadTokens, inputAudioTokens),
    ),
    outputAudioTokens: counter.partOf(counter.count(outputs['audio_tokens']), outputTokens),
    isEstimated: counter.isEstimated,
  }
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}
