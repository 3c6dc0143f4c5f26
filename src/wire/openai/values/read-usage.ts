import type { Extras } from '../../../canonical/format.ts'
import { noUsage, type Usage } from '../../../canonical/usage.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { tryParseJson } from '../../../kit/json/try-parse-json.ts'
import type { SseFrame } from '../../../kit/sse/sse-parser.ts'
import { UsageCounter } from '../../fields/usage-counter.ts'

/**
 * Finds the usage of a chunk or an answer: in its own field, in Groq's `x_groq`, or in a choice, where Moonshot puts
 * it.
 */
export function findUsage({ usage, x_groq: groq, choices }: JsonObject): JsonObject | undefined {
  if (isJsonObject(usage)) return usage
  if (isJsonObject(groq) && isJsonObject(groq['usage'])) return groq['usage']
  const first = isJsonArray(choices) ? choices[0] : undefined
  return isJsonObject(first) && isJsonObject(first['usage']) ? first['usage'] : undefined
}

/** Whether usage has a number above zero. Some servers count in one chunk and send zeros in a later one. */
export function statesNumbers(usage: JsonObject): boolean {
  return Object.values(usage).some((value) => typeof value === 'number' && value > 0)
}

/** Returns the usage of a chunk as the provider wrote it. */
export function findStatedUsage({ data }: SseFrame): Extras | undefined {
  const chunk = tryParseJson(data ?? '')
  const usage = isJsonObject(chunk) ? findUsage(chunk) : undefined
  return usage === undefined ? undefined : { format: 'chat', fields: usage }
}

const noDetails: JsonObject = {}

/** Reads the usage of an answer into disjoint classes; undefined where there is no usage. Never throws. */
export function readUsage(value: JsonValue | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined
  const counter = new UsageCounter()
  const prompt = detailsOf(value['prompt_tokens_details'])
  const completion = detailsOf(value['completion_tokens_details'])
  const said = readTotals(value, { prompt, completion, counter })
  const cached = cachedTokens(value, prompt, counter)
  const totals = cached > said.input ? withCachedBeside(said, cached, { prompt, completion, counter }) : said
  const cacheRead = Math.min(cached, totals.input)
  const written = counter.count(prompt['cache_write_tokens'] ?? value['cache_creation_input_tokens'])
  const cacheWrite = counter.partOf(written, totals.input - cacheRead)
  return {
    ...noUsage,
    freshInputTokens: totals.input - cacheRead - cacheWrite,
    cacheReadTokens: cacheRead,
    cacheWriteShortTokens: cacheWrite,
    outputTokens: totals.output,
    reasoningTokens: totals.reasoning,
    inputAudioTokens: counter.count(prompt['audio_tokens']),
    inputImageTokens: counter.count(prompt['image_tokens']),
    outputAudioTokens: counter.count(completion['audio_tokens']),
    outputImageTokens: counter.count(completion['image_tokens']),
    acceptedPredictionTokens: counter.count(completion['accepted_prediction_tokens']),
    rejectedPredictionTokens: counter.count(completion['rejected_prediction_tokens']),
    toolCalls: readToolCalls(value, counter),
    isEstimated: counter.isEstimated,
  }
}

function detailsOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : noDetails
}

/**
 * Returns the cached tokens. The number appears under four names (OpenAI; DeepSeek; Moonshot; Mistral; recorded
 * traffic).
 */
function cachedTokens(usage: JsonObject, prompt: JsonObject, counter: UsageCounter): number {
  return counter.count(
    prompt['cached_tokens'] ??
      usage['prompt_cache_hit_tokens'] ??
      usage['cached_tokens'] ??
      usage['num_cached_tokens'],
  )
}

interface UsageParts {
  readonly prompt: JsonObject
  readonly completion: JsonObject
  readonly counter: UsageCounter
}

interface Totals {
  readonly input: number
  readonly output: number
  readonly reasoning: number
}

/**
 * Reads input and output so that their sum is the provider's own total. Most providers include reasoning in the
 * completion tokens. Some leave it out and add it only to the total (xAI), leave it out of both (Vercel's Gemini), add
 * it to the total without a field of its own (Google), or leave audio out of the prompt (Mistral). All seen in recorded
 * traffic, 2024 to 2026.
 */
function readTotals(usage: JsonObject, { prompt, completion, counter }: UsageParts): Totals {
  const input = counter.count(usage['prompt_tokens'])
  const output = counter.count(usage['completion_tokens'])
  const total = counter.count(usage['total_tokens'])
  const reasoning = counter.count(completion['reasoning_tokens'] ?? usage['reasoning_tokens'])
  const audio = counter.count(prompt['audio_tokens'])
  const unnamed = total - input - output
  if (reasoning > 0 && (unnamed === reasoning || reasoning > output)) {
    if (unnamed !== reasoning) counter.isEstimated = true
    return { input, output: output + reasoning, reasoning }
  }
  if (unnamed <= 0) {
    // A provider that does not name its input has not counted it.
    if (typeof usage['prompt_tokens'] !== 'number') counter.isEstimated = true
    return { input, output, reasoning }
  }
  if (audio > input && unnamed === audio) return { input: input + audio, output, reasoning }
  counter.isEstimated = true
  if (usage['prompt_tokens'] === undefined) return { input: input + unnamed, output, reasoning }
  return { input, output: output + unnamed, reasoning: reasoning + unnamed }
}

/**
 * Handles usage with more cached input than input. If the prompt's parts without the cached tokens already add up to
 * the prompt, the cached tokens were counted separately (Grok at Azure; recorded traffic, 2026).
 */
function withCachedBeside(totals: Totals, cached: number, { prompt, counter }: UsageParts): Totals {
  counter.isEstimated = true
  const parts = ['text_tokens', 'image_tokens', 'audio_tokens'].map((name) => counter.count(prompt[name]))
  const isBeside = totals.input > 0 && parts.reduce((sum, part) => sum + part, 0) === totals.input
  return isBeside ? { ...totals, input: totals.input + cached } : totals
}

const searchSizes: ReadonlySet<JsonValue | undefined> = new Set(['low', 'medium', 'high'])

/**
 * Perplexity bills a search for each answer, by the size of the search results
 * (https://docs.perplexity.ai/docs/getting-started/pricing, seen 2026-11-23).
 */
function readSearchFee({ search_context_size: size }: JsonObject): Record<string, number> {
  return searchSizes.has(size) ? { [`web_search_${size}`]: 1 } : {}
}

/** Counts calls of tools that the provider ran and bills. */
function readToolCalls(usage: JsonObject, counter: UsageCounter): Readonly<Record<string, number>> {
  const server = detailsOf(usage['server_tool_use_details'] ?? usage['server_tool_use'])
  // Perplexity has its own counter.
  const searches = counter.count(server['web_search_requests']) + counter.count(usage['num_search_queries'])
  const sources = counter.count(usage['num_sources_used'])
  const calls: Record<string, number> = readSearchFee(usage)
  if (searches > 0) calls['web_search'] = searches
  if (sources > 0) calls['num_sources_used'] = sources
  return calls
}
