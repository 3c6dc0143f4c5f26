import { addUsage, noUsage, type Usage } from '../../../canonical/usage.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { UsageCounter } from '../../fields/usage-counter.ts'

/** The maximum number of entries to read from `iterations`, above that of any real answer. */
const MAX_ITERATIONS = 1_000

/**
 * The usage of an answer. Undefined if the answer has no usage. The totals exclude two kinds of billed tokens, which
 * are added here: those used to summarize a conversation that became too long, and those that an advisor read and wrote
 * (`BetaUsage.iterations`, @anthropic-ai/sdk 1.11.0; so in recordings of 2026).
 */
export function readUsage(value: JsonValue | undefined): Usage | undefined {
  const totals = readTotals(value)
  const summaries = isJsonObject(value) ? readSummaries(value) : undefined
  return totals === undefined || summaries === undefined ? totals : addUsage(totals, summaries)
}

/**
 * The usage of a stream so far. The output in the start event is a lower bound, since the answer is not written then. A
 * later event states the whole output.
 */
export function readUsageSoFar(value: JsonValue | undefined, statesOutput: boolean): Usage | undefined {
  const usage = readUsage(value)
  return usage === undefined || statesOutput ? usage : { ...usage, isEstimated: true }
}

/** Whether the usage in an event after the start states the output. */
export function hasOutput(usage: JsonValue | undefined): boolean {
  return isJsonObject(usage) && !isAbsent(usage['output_tokens'])
}

/** The usage of summaries and advisors in `iterations`. Undefined if there is none. */
export function readSummaries({ iterations }: JsonObject): Usage | undefined {
  if (!isJsonArray(iterations)) return undefined
  return iterations
    .slice(0, MAX_ITERATIONS)
    .flatMap((entry) => (isJsonObject(entry) ? (readIteration(entry) ?? []) : []))
    .reduce<Usage | undefined>((sum, usage) => (sum === undefined ? usage : addUsage(sum, usage)), undefined)
}

/** Reads one entry of `iterations`. An advisor's usage is estimated: its rates may differ from the model's rates. */
function readIteration(entry: JsonObject): Usage | undefined {
  const { type } = entry
  const usage = type === 'compaction' || type === 'advisor_message' ? readTotals(entry) : undefined
  return usage && type === 'advisor_message' ? { ...usage, isEstimated: true } : usage
}

/**
 * Usage as disjoint classes. `input_tokens` counts neither cache reads nor writes, so the three add up
 * (docs/build-with-claude/prompt-caching, seen 2026-11-20). Invalid counts are clamped, and the usage is flagged as
 * estimated. It is flagged too if a total is missing.
 */
function readTotals(value: JsonValue | undefined): Usage | undefined {
  if (!isJsonObject(value)) return undefined
  const counter = new UsageCounter(isAbsent(value['input_tokens']) || isAbsent(value['output_tokens']))
  const outputTokens = counter.count(value['output_tokens'])
  const details = objectOf(value['output_tokens_details'])
  const reasoningTokens = counter.count(details['thinking_tokens'])
  const usage = {
    ...noUsage,
    freshInputTokens: counter.count(value['input_tokens']),
    cacheReadTokens: counter.count(value['cache_read_input_tokens']),
    ...readCacheWrites(value, counter),
    outputTokens,
    reasoningTokens: counter.partOf(reasoningTokens, outputTokens),
    toolCalls: readToolCalls(value['server_tool_use'], counter),
    ...readSurcharges(value),
  }
  return { ...usage, isEstimated: counter.isEstimated }
}

/** The maximum number of usage fields, far above the real number. It bounds the work, since every event is merged. */
const MAX_NAMES = 256

/** The counters of input. Each of them may be zero, but not all of them. */
const inputCounters = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'] as const
const ofInput: ReadonlySet<string> = new Set([...inputCounters, 'cache_creation'])

/**
 * The usage of a stream so far. Counters are totals: a counter in a later frame replaces the earlier value. Some
 * servers state the input only at the start, and zeros at the end
 * (https://github.com/envoyproxy/ai-gateway/pull/1631): these replace nothing.
 */
export function joinUsage(before: JsonObject, after: JsonValue | undefined): JsonObject {
  if (!isJsonObject(after)) return before
  const isFull = Object.keys(before).length > MAX_NAMES
  const hasInput = inputCounters.some((name) => typeof after[name] === 'number' && after[name] !== 0)
  const named = Object.entries(after).filter(
    ([name, value]) =>
      !isAbsent(value) &&
      (!isFull || Object.hasOwn(before, name)) &&
      (hasInput || !ofInput.has(name) || isAbsent(before[name])),
  )
  return Object.fromEntries([...Object.entries(before), ...named])
}

/** The total of cache writes takes precedence over its parts, which a stream may name only at its start. */
function readCacheWrites(usage: JsonObject, counter: UsageCounter) {
  const parts = objectOf(usage['cache_creation'])
  const long = counter.count(parts['ephemeral_1h_input_tokens'])
  const short = counter.count(parts['ephemeral_5m_input_tokens'])
  if (isAbsent(usage['cache_creation_input_tokens'])) {
    return { cacheWriteShortTokens: short, cacheWriteLongTokens: long }
  }
  const total = counter.count(usage['cache_creation_input_tokens'])
  const cacheWriteLongTokens = Math.min(long, total)
  return { cacheWriteShortTokens: total - cacheWriteLongTokens, cacheWriteLongTokens }
}

/** The regions without their own price (recordings of 2026). */
const usualRegions: ReadonlySet<string> = new Set(['global', 'not_available'])
const MAX_REGION_CHARACTERS = 32

function readSurcharges({ speed, inference_geo: region }: JsonObject): Pick<Usage, 'speed' | 'region'> {
  const isNamed =
    typeof region === 'string' && region.length <= MAX_REGION_CHARACTERS && !usualRegions.has(region)
  return { ...(speed === 'fast' && { speed }), ...(isNamed && { region }) }
}

/** The tool of each usage counter (@anthropic-ai/sdk 1.11.0, type of `usage.server_tool_use`). */
const toolsByCounter: ReadonlyMap<string, string> = new Map([
  ['web_search_requests', 'web_search'],
  ['web_fetch_requests', 'web_fetch'],
])

function readToolCalls(
  value: JsonValue | undefined,
  counter: UsageCounter,
): Readonly<Record<string, number>> {
  const calls: [string, number][] = []
  for (const [name, number] of Object.entries(objectOf(value))) {
    const times = counter.count(number)
    if (times > 0) calls.push([toolsByCounter.get(name) ?? name, times])
  }
  return Object.fromEntries(calls)
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}

function isAbsent(value: JsonValue | undefined): boolean {
  return value === undefined || value === null
}
