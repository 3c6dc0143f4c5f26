import { type BilledTokens, boundCount, noUsage, type Usage } from '../../../canonical/usage.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'

const nothing: JsonObject = {}

/**
 * The usage of an answer in disjoint classes. Undefined if there is no usage. `tokens` counts everything that the model
 * read, including the provider's own prompt and cache reads. Images are counted separately (recorded traffic, 2026).
 * If `tokens` is absent, the smaller `billed_units` replaces it. Never throws.
 */
export function readUsage(value: JsonValue | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined
  const counts = [value['tokens'], value['billed_units']].find(isJsonObject)
  if (counts === undefined) return undefined
  const counted = Object.values(counts).every(isCount)
  const inputImageTokens = countOf(counts['image_tokens'])
  const input = countOf(counts['input_tokens']) + inputImageTokens
  const outputTokens = countOf(counts['output_tokens'])
  const cached = value['tokens'] === counts ? countOf(value['cached_tokens']) : 0
  const reasoning = countOf(counts['reasoning_tokens'])
  const cacheReadTokens = Math.min(cached, input)
  const units = isJsonObject(value['billed_units']) ? value['billed_units'] : nothing
  const searches = countOf(units['search_units'])
  const billed = readBilled(units)
  return {
    ...noUsage,
    freshInputTokens: input - cacheReadTokens,
    cacheReadTokens,
    inputImageTokens,
    outputTokens,
    reasoningTokens: Math.min(reasoning, outputTokens),
    ...(billed !== undefined && { billed }),
    toolCalls: searches === 0 ? {} : { search_units: searches },
    isEstimated: !counted || cached > input || reasoning > outputTokens,
  }
}

/**
 * Reads the billed tokens. Neither the provider's own prompt nor the input that it cached is billed
 * (https://docs.cohere.com/docs/how-does-cohere-pricing-work, seen 2026-11-23).
 */
function readBilled(units: JsonObject): BilledTokens | undefined {
  const { input_tokens: input, output_tokens: output, image_tokens: images } = units
  if (!isCount(input ?? null) || !isCount(output ?? null) || (input ?? output ?? null) === null)
    return undefined
  return { input: countOf(input) + countOf(images), output: countOf(output) }
}

function isCount(value: JsonValue | undefined): boolean {
  return value === null || (typeof value === 'number' && boundCount(value) === value)
}

function countOf(value: JsonValue | undefined): number {
  return typeof value === 'number' && boundCount(value) === value ? value : 0
}
