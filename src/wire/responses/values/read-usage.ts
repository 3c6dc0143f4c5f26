import { noUsage, type Usage } from '../../../canonical/usage.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { UsageCounter } from '../../fields/usage-counter.ts'

const noDetails: JsonObject = {}

/**
 * Reads the usage of an answer into disjoint classes; undefined where there is no usage. Input tokens include those
 * read from and written to the cache, and output tokens include reasoning
 * (https://platform.openai.com/docs/api-reference/responses/object, seen 2026-11-20). The usage of a response in
 * progress is a lower bound, and zeros in it mean nothing yet. Zeros of a response that is cut at its limit are wrong
 * (a recording of 2025). Never throws.
 */
export function readUsage(response: JsonObject): Usage | undefined {
  const { usage: value, tool_usage: toolUsage, output, status } = response
  if (!isJsonObject(value)) return undefined
  const counter = new UsageCounter(typeof value['input_tokens'] !== 'number')
  const isInProgress = status === 'queued' || status === 'in_progress'
  const input = counter.count(value['input_tokens'])
  const inputDetails = detailsOf(value['input_tokens_details'])
  const outputDetails = detailsOf(value['output_tokens_details'])
  const cacheReadTokens = counter.partOf(counter.count(inputDetails['cached_tokens']), input)
  const cacheWriteShortTokens = counter.partOf(
    counter.count(inputDetails['cache_write_tokens']),
    input - cacheReadTokens,
  )
  const outputTokens = counter.count(value['output_tokens'])
  const isNothing = input + outputTokens === 0
  if (isInProgress && isNothing) return undefined
  return {
    ...noUsage,
    freshInputTokens: input - cacheReadTokens - cacheWriteShortTokens,
    cacheReadTokens,
    cacheWriteShortTokens,
    outputTokens,
    reasoningTokens: counter.partOf(counter.count(outputDetails['reasoning_tokens']), outputTokens),
    toolCalls: readToolCalls(value, { toolUsage, output }, counter),
    isEstimated: counter.isEstimated || isInProgress || (isNothing && isCutInOutput(response)),
  }
}

/** Whether a response ended at its limit after it began to write. */
function isCutInOutput({ status, output }: JsonObject): boolean {
  return status === 'incomplete' && isJsonArray(output) && output.length > 0
}

/** Whether a call is billed as a search. Opening a page or searching for text in a page is not. */
function isSearch({ type, action }: JsonObject): boolean {
  return type === 'web_search_call' && (detailsOf(action)['type'] ?? 'search') === 'search'
}

/** Whether the tool that makes images used tokens. They are of another model, so each image counts as a call. */
function madeImages(toolUsage: JsonValue | undefined): boolean {
  const { total_tokens: tokens } = detailsOf(detailsOf(toolUsage)['image_gen'])
  return typeof tokens === 'number' && tokens > 0
}

function isMadeImage({ type, status = 'completed' }: JsonObject): boolean {
  return type === 'image_generation_call' && status === 'completed'
}

/**
 * Counts the containers of the provider in which a tool ran. A container is billed by the session, however many calls
 * it serves, and recorded answers use one for up to nine calls
 * (https://developers.openai.com/api/docs/guides/tools-code-interpreter, seen 2026-11-29).
 */
function countContainers(items: readonly JsonObject[], tool: 'code_interpreter' | 'shell'): number {
  const ids = items
    .filter(({ type }) => type === `${tool}_call`)
    .map(({ container_id: id, environment }) => id ?? detailsOf(environment)['container_id'])
  return new Set(ids.filter((id) => typeof id === 'string')).size
}

function detailsOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : noDetails
}

interface Beside {
  readonly toolUsage: JsonValue | undefined
  readonly output: JsonValue | undefined
}

/** xAI counts calls in fields such as `web_search_calls`. */
function toolOf(counterName: string): string {
  return counterName.replace(/_calls$/, '')
}

/**
 * Counts calls of tools that the provider ran and bills. OpenAI reports them next to the usage, xAI inside it. Older
 * answers show them only in the output, and file searches are shown nowhere else.
 */
function readToolCalls(
  usage: JsonObject,
  { toolUsage, output }: Beside,
  counter: UsageCounter,
): Readonly<Record<string, number>> {
  const details = usage['server_side_tool_usage_details']
  const within = Object.entries(detailsOf(details))
  const { num_requests: searches } = detailsOf(detailsOf(toolUsage)['web_search'])
  const shown = isJsonObject(details) || !isJsonArray(output) ? [] : output.filter(isJsonObject)
  const counts: readonly (readonly [string, number])[] = [
    ['web_search', searches === undefined ? shown.filter(isSearch).length : counter.count(searches)],
    ['file_search', shown.filter(({ type }) => type === 'file_search_call').length],
    ['image_generation', madeImages(toolUsage) ? shown.filter(isMadeImage).length : 0],
    ['code_interpreter', countContainers(shown, 'code_interpreter')],
    ['shell', countContainers(shown, 'shell')],
    ['num_sources_used', counter.count(usage['num_sources_used'])],
    ...within.map(([name, count]): readonly [string, number] => [toolOf(name), counter.count(count)]),
  ]
  return Object.fromEntries(counts.filter(([, count]) => count > 0))
}
