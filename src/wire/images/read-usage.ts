import { noUsage, type Usage } from '../../canonical/usage.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import { UsageCounter } from '../fields/usage-counter.ts'

/**
 * Reads the usage of images in disjoint classes: input text, input images, output images, and output text where a model
 * writes some (https://platform.openai.com/docs/api-reference/images/object, seen 2026-11-24). Without details, all
 * output tokens are image tokens. Never throws.
 */
export function readImageUsage(value: JsonValue | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined
  const { input_tokens: input, output_tokens: output } = value
  if (typeof input !== 'number' && typeof output !== 'number') return undefined
  const counter = new UsageCounter()
  const freshInputTokens = counter.count(input)
  const outputTokens = counter.count(output)
  const inputDetails = detailsOf(value['input_tokens_details'])
  const outputDetails = detailsOf(value['output_tokens_details'])
  const made = outputDetails['image_tokens']
  return {
    ...noUsage,
    freshInputTokens,
    outputTokens,
    inputImageTokens: counter.partOf(counter.count(inputDetails['image_tokens']), freshInputTokens),
    outputImageTokens: made === undefined ? outputTokens : counter.partOf(counter.count(made), outputTokens),
    isEstimated: counter.isEstimated,
  }
}

/** Writes the usage of images for callers. */
export function writeImageUsage(usage: Usage): JsonObject {
  const { freshInputTokens, cacheReadTokens, inputImageTokens, outputTokens, outputImageTokens } = usage
  const input = freshInputTokens + cacheReadTokens
  return {
    total_tokens: input + outputTokens,
    input_tokens: input,
    output_tokens: outputTokens,
    input_tokens_details: { text_tokens: input - inputImageTokens, image_tokens: inputImageTokens },
    output_tokens_details: { text_tokens: outputTokens - outputImageTokens, image_tokens: outputImageTokens },
  }
}

function detailsOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}
